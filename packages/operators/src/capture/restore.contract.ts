import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@kubewright/client';
import { canonicalJson, corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CONTENT_CHUNKS, type ContentChunk } from './api/content-chunk.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS, type ManifestCheckpoint } from './api/manifest-checkpoint.ts';
import { readCheckpoint } from './manifests/read-checkpoint.ts';
import { retarget } from './restore/retarget.ts';
import { captureParts } from './controller.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { changeBody, failWith, type InterceptedCalls, interceptCalls } from './testing/intercepted-calls.ts';
import { createManifestRequest, finished } from './testing/make-requests.ts';
import { oddObjects, WIDGETS } from './testing/odd-objects.ts';
import { runCommand } from './testing/run-command.ts';

const CAPTURABLE = {
  apiGroups: ['', 'rbac.authorization.k8s.io', WIDGETS.group],
  resources: ['configmaps', 'secrets', 'services', 'serviceaccounts', 'rolebindings', 'widgets'],
};

/** Restores checkpoints and exports of them. */
export function restoreContract(transport: () => Transport): void {
  describe('restoring manifests', () => {
    const parts = { ...captureParts, resources: [...captureParts.resources, WIDGETS] };
    const folder = useFolder();
    const keyFile = join(folder, 'keys');
    const env = { CAPTURE_KEY_FILE: keyFile };
    beforeAll(() => writeFileSync(keyFile, `a-key ${Buffer.alloc(32, 7).toString('base64')}\n`));
    const capture = useOperator(transport, parts, { anyKind: CAPTURABLE, env });
    const { namespace } = capture;
    let checkpoint = '';

    beforeAll(async () => {
      await admissionChecks(capture);
      const objects = oddObjects(namespace);
      for (const object of objects) await capture.admin.create(kindOf(object), object);
      checkpoint = await captured('all', objects);
    });

    const kindOf = ({ apiVersion, kind }: KubeObject) => {
      const [version = '', group = ''] = apiVersion.split('/').toReversed();
      return { group, version, kind };
    };
    const captured = async (name: string, objects: readonly KubeObject[]): Promise<string> => {
      const targets = objects.map(({ apiVersion, kind, metadata }) => ({
        apiVersion,
        kind,
        name: metadata.name ?? '',
      }));
      await createManifestRequest(capture, name, targets);
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, name);
      return status?.checkpointName ?? expect.fail(status?.conditions?.[0]?.message);
    };
    const run = (line: string, options: Readonly<Record<string, string>> = {}): Promise<string> =>
      runCommand(capture, transport(), line.split(' '), options);

    test('CAP-88 CAP-89 CAP-D11 exported and restored into another namespace: equal byte for byte in canonical form', async () => {
      const exportFolder = join(folder, 'backup');
      await run(`export ${checkpoint} ${exportFolder}`);
      const target = `${namespace}-copy`;
      const plan = await run(`restore ${exportFolder}`, { to: target, dryRun: 'client' });
      expect(plan).toMatch(/create +Namespace\/.*create +ConfigMap\/odd/s);
      await expect(run(`restore ${exportFolder}`, { to: target })).rejects.toThrow('add --yes');
      await expect(capture.admin.get(corev1.namespaces, { name: target })).rejects.toThrow('not found');
      await run(`restore ${exportFolder}`, { to: target, yes: 'true' });
      for (const object of oddObjects(namespace)) {
        const name = object.metadata.name ?? '';
        const [before, after] = await Promise.all(
          [namespace, target].map((where) => capture.admin.get(kindOf(object), { namespace: where, name })),
        );
        if (before === undefined || after === undefined) return expect.unreachable();
        expect(canonicalJson(retarget(after, target, namespace)), name).toBe(
          canonicalJson(retarget(before, namespace, namespace)),
        );
      }
      const [big] = (await capture.admin.list(WIDGETS, { namespace: target })).items;
      expect(big?.spec).toMatchObject({
        serial: 9_007_199_254_740_993n,
        factors: [1, 0.1, 1e-7, 1e21],
        tags: [{ Key: 'a', Value: 'b' }],
      });
      expect(Object.entries(big?.spec?.texts ?? {})).toContainEqual(['__proto__', '<&>']);
      const again = await run(`restore ${checkpoint}`, { to: target, yes: 'true' });
      expect(again).toContain('0 objects were created');
    });

    test('CAP-90 CAP-D21 an encrypted Secret is stored, exported and read without its values, and restored with its key', async () => {
      const password = Buffer.from('correct horse battery staple').toString('base64');
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'hidden' } } as const;
      await capture.admin.create(corev1.secrets, { ...secret, data: { password } });
      const targets = [{ apiVersion: 'v1', kind: 'Secret', name: 'hidden' }];
      await capture.admin.create(MANIFEST_CAPTURE_REQUESTS, {
        apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
        kind: 'ManifestCaptureRequest',
        metadata: { namespace, name: 'hidden' },
        spec: { targets, secrets: 'Encrypt' },
      });
      const done = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'hidden');
      const { checkpointName: made = '' } = done.status ?? {};
      const stored = canonicalJson(await readCheckpoint(capture.admin, made));
      const { items: events } = await capture.admin.list(corev1.events, { namespace });
      for (const text of [stored, canonicalJson(done.status ?? {}), canonicalJson(events)])
        expect(text).not.toContain(password);
      expect(stored).toContain('"keyID":"a-key"');

      const exported = join(folder, 'hidden');
      await run(`export ${made} ${exported}`);
      const to = `${namespace}-hidden`;
      await expect(run(`restore ${exported}`, { to, yes: 'true' })).rejects.toThrow(
        'encrypted with key a-key',
      );
      await run(`restore ${exported}`, { to, yes: 'true', keyFile });
      expect(await capture.admin.get(corev1.secrets, { namespace: to, name: 'hidden' })).toMatchObject({
        data: { password },
      });
      expect(await run(`diff ${made}`, { keyFile })).toContain('1 objects are as they were captured');
    });

    test('an object that exists and differs is a conflict: nothing is restored, or the others are', async () => {
      const objects: readonly KubeObject[] = [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'gone' }, data: { a: 'plain' } },
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace, name: 'drifted' },
          data: { a: 'b25l', b: 'c2FtZQ==' },
        },
      ];
      for (const object of objects) await capture.admin.create(kindOf(object), object);
      const name = await captured('changing', objects);
      await capture.admin.delete(corev1.configmaps, { namespace, name: 'gone' });
      await capture.admin.patch(
        corev1.secrets,
        { namespace, name: 'drifted' },
        { type: 'merge', body: { data: { a: 'dHdv' } } },
      );
      await expect(run(`restore ${name}`, { yes: 'true' })).rejects.toThrow(
        '1 of 2 objects are in conflict, nothing was changed',
      );
      const skipped = await run(`restore ${name}`, { yes: 'true', existing: 'skip' });
      expect(skipped).toMatch(/conflict +Secret\/drifted +it exists, and differs in data/);
      expect(skipped).toContain('1 objects were created');
      const back = await capture.admin.get(corev1.configmaps, { namespace, name: 'gone' });
      expect(back.data).toEqual({ a: 'plain' });
    });

    /** What the command prints, or why it fails, with calls of it handled by the test. */
    const runOver = (calls: InterceptedCalls, line: string, options: Readonly<Record<string, string>>) => {
      const way = calls.time.pacedBy(transport());
      return runCommand({ admin: createClient(way), namespace }, way, line.split(' '), options);
    };

    test('one object that cannot be created: the restore stops with its error, and continues when it is run again', async () => {
      const to = `${namespace}-stopped`;
      const calls = interceptCalls();
      const rejected = failWith(403, 'Forbidden', 'no Service today');
      const end = calls.on({ method: 'POST', path: /\/services\?(?!.*dryRun)/ }, rejected);
      const restore = () => runOver(calls, `restore ${checkpoint}`, { to, yes: 'true' });
      await expect(restore()).rejects.toThrow('no Service today');
      end();
      await expect(restore()).resolves.toContain('create');
      const { length } = oddObjects(namespace);
      expect(await run(`restore ${checkpoint}`, { to, yes: 'true' })).toMatch(/0 objects were created/);
      const made = calls.made.filter(
        ({ method, path, status }) => method === 'POST' && status === 201 && !path.includes('dryRun'),
      );
      // The Namespace, and each object once, though the restore was run twice.
      expect(made).toHaveLength(length + 1);
    });

    test('an object of a kind that the cluster does not serve is a conflict, before anything is created', async () => {
      const to = `${namespace}-unserved`;
      const calls = interceptCalls();
      const unserved = new RegExp(`/apis/${WIDGETS.group}(/|$)`);
      calls.on({ method: 'GET', path: unserved }, failWith(404, 'NotFound', 'the server has no such group'));
      const withoutWidgets = changeBody((text) => text.replaceAll(WIDGETS.group, 'unserved.example.com'));
      calls.on({ method: 'GET', path: /^\/apis(\?|$)/ }, withoutWidgets);
      const restore = (more: Readonly<Record<string, string>> = {}) =>
        runOver(calls, `restore ${checkpoint}`, { to, yes: 'true', ...more });
      await expect(restore()).rejects.toThrow(/1 of \d+ objects are in conflict, nothing was changed/);
      await expect(capture.admin.get(corev1.namespaces, { name: to })).rejects.toThrow('not found');
      expect(await restore({ existing: 'skip' })).toMatch(/conflict +Widget\/big/);
      expect((await capture.admin.list(WIDGETS, { namespace: to })).items).toEqual([]);
    });

    test('a ServiceAccount that exists is treated as every other object: it is as captured, or in conflict', async () => {
      const to = `${namespace}-accounts`;
      const metadata = { namespace: to, name: 'robot' };
      await run(`restore ${checkpoint}`, { to, yes: 'true' });
      expect(await run(`restore ${checkpoint}`, { to, dryRun: 'server' })).toMatch(
        /unchanged +ServiceAccount\/robot/,
      );
      const body = { imagePullSecrets: [{ name: 'other' }] };
      await capture.admin.patch(corev1.serviceaccounts, metadata, { type: 'merge', body });
      await expect(run(`restore ${checkpoint}`, { to })).rejects.toThrow('1 of');
      const live = await capture.admin.get(corev1.serviceaccounts, metadata);
      expect(live.imagePullSecrets).toEqual(body.imagePullSecrets);
    });

    const damaged = async (
      name: string,
      damage: (chunk: ContentChunk, checkpoint: ManifestCheckpoint) => Promise<unknown>,
    ): Promise<string> => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } };
      await capture.admin.create(corev1.configmaps, { ...object, apiVersion: 'v1', kind: 'ConfigMap' });
      const made = await captured(name, [object]);
      const live = await capture.admin.get(MANIFEST_CHECKPOINTS, { name: made });
      const chunk = await capture.admin.get(CONTENT_CHUNKS, { name: live.status?.chunks?.[0]?.name ?? '' });
      await damage(chunk, live);
      return made;
    };
    const replaced = async (
      { metadata, ...chunk }: ContentChunk,
      spec: Partial<ContentChunk['spec']>,
    ): Promise<void> => {
      const { name, ownerReferences = [] } = metadata;
      await capture.admin.delete(CONTENT_CHUNKS, { name });
      await capture.admin.create(CONTENT_CHUNKS, {
        ...chunk,
        metadata: { name, ownerReferences },
        spec: { ...chunk.spec, ...spec },
      });
    };

    test.each([
      [
        'lost',
        'or a chunk of it, does not exist',
        (chunk: ContentChunk) => capture.admin.delete(CONTENT_CHUNKS, { name: chunk.metadata.name }),
      ],
      [
        'flipped',
        'checksum is wrong',
        (chunk: ContentChunk) => replaced(chunk, { data: flip(chunk.spec.data) }),
      ],
      ['miscounted', 'not what was planned', (chunk: ContentChunk) => replaced(chunk, { objectsCount: 2 })],
      [
        'foreign',
        'belongs to another checkpoint',
        (chunk: ContentChunk) => replaced(chunk, { checkpointName: 'other' }),
      ],
      [
        'gapped',
        'are not those of its plan',
        (_chunk: ContentChunk, { metadata: { name }, status }: ManifestCheckpoint) =>
          capture.admin.patch(
            MANIFEST_CHECKPOINTS,
            { name },
            {
              type: 'merge',
              body: { status: { chunks: status?.chunks?.map((one) => ({ ...one, index: 1 })) ?? [] } },
            },
            { subresource: 'status' },
          ),
      ],
    ])(
      'CAP-96 a chunk that is %s: restore fails with "%s", and writes nothing',
      async (name, message, damage) => {
        const made = await damaged(name, damage);
        const to = `${namespace}-${name}`;
        await expect(run(`restore ${made}`, { to, yes: 'true' })).rejects.toThrow(message);
        await expect(capture.admin.get(corev1.namespaces, { name: to })).rejects.toThrow('not found');
      },
    );

    test('unknown names and options say what to do', async () => {
      await expect(run('restore nothing')).rejects.toThrow('"kubectl get mcp" lists them');
      await expect(run('restore ./nothing')).rejects.toThrow('cannot be read');
      await expect(run(`restore ${checkpoint}`, { existing: 'maybe' })).rejects.toThrow(
        'is neither of fail, skip',
      );
    });
  });
}

/** Another byte in the header of the gzip, which unpacks as before. */
function flip(data: string): string {
  const bytes = Buffer.from(data, 'base64');
  bytes[OPERATING_SYSTEM] = (bytes[OPERATING_SYSTEM] ?? 0) ^ 1;
  return bytes.toString('base64');
}

const OPERATING_SYSTEM = 9;
