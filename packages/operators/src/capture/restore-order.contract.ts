import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, ignoreNotFound } from '@kubewright/client';
import {
  corev1,
  customResource,
  type KubeObject,
  ownerReferenceTo,
  s,
  type Transport,
} from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { captureParts } from './controller.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import {
  after,
  failWith,
  type InterceptedCalls,
  interceptCalls,
  sentObject,
} from './testing/intercepted-calls.ts';
import { finished } from './testing/make-requests.ts';
import { runCommand } from './testing/run-command.ts';

const GROUP = 'order.example.com';

function resourceOf(kind: string) {
  return customResource({
    group: GROUP,
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope: 'Namespaced',
    schema: s.object({ spec: s.optional(s.anyObject()) }),
  });
}

/** Its controller makes a key in a Secret of its name, unless there is one. */
const CERTIFICATES = resourceOf('Certificate');
/** Its controller applies objects of others. */
const DELIVERIES = resourceOf('Delivery');
const KINDS = [
  { apiVersion: `${GROUP}/v1`, kind: 'Certificate' },
  { apiVersion: `${GROUP}/v1`, kind: 'Delivery' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Secret' },
];

const PROFILES = `
- group: ${GROUP}
  kind: Delivery
  order: last
  namespaces: [spec.into]
  inCopy: {spec: {paused: true}}
  note: paused, because it delivers to others
`;

/** Restores objects whose controllers are at work while they are restored. */
export function restoreOrderContract(transport: () => Transport): void {
  describe('restoring objects that controllers act on', () => {
    const parts = { ...captureParts, resources: [...captureParts.resources, CERTIFICATES, DELIVERIES] };
    const folder = useFolder();
    const profiles = join(folder, 'profiles.yaml');
    const anyKind = {
      apiGroups: ['', GROUP],
      resources: ['configmaps', 'secrets', 'certificates', 'deliverys'],
    };
    const capture = useOperator(transport, parts, { anyKind });
    const { namespace } = capture;
    const key = Buffer.from('the key that clients trust').toString('base64');
    let checkpoint = '';

    beforeAll(async () => {
      writeFileSync(profiles, PROFILES);
      await admissionChecks(capture);
      const { admin } = capture;
      const metadata = { namespace, name: 'ca' };
      await admin.create(DELIVERIES, {
        apiVersion: `${GROUP}/v1`,
        kind: 'Delivery',
        metadata: { namespace, name: 'all' },
        spec: { into: namespace },
      });
      const owner = await admin.create(CERTIFICATES, {
        apiVersion: `${GROUP}/v1`,
        kind: 'Certificate',
        metadata,
      });
      const ownerReferences = [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })];
      const owned = { ...metadata, ownerReferences };
      await admin.create(corev1.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: owned,
        data: { key },
      });
      await admin.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: owned });
      await admin.create(MANIFEST_CAPTURE_REQUESTS, {
        apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
        kind: 'ManifestCaptureRequest',
        metadata: { namespace, name: 'all' },
        spec: { selection: { kinds: KINDS } },
      });
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'all');
      checkpoint = status?.checkpointName ?? expect.fail(status?.conditions?.[0]?.message);
    });

    const restore = (calls: InterceptedCalls, to: string, options: Readonly<Record<string, string>> = {}) => {
      const way = calls.time.pacedBy(transport());
      const line = ['restore', checkpoint];
      return runCommand({ admin: createClient(way), namespace }, way, line, { to, yes: 'true', ...options });
    };

    /** The controller of certificates is as fast as one can be: it acts before the request that creates one has its response. */
    const withController = (to: string): InterceptedCalls => {
      const calls = interceptCalls();
      const makeKey = async (name = ''): Promise<void> => {
        const metadata = { namespace: to, name };
        if ((await ignoreNotFound(capture.admin.get(corev1.secrets, metadata))) !== undefined) return;
        const made = { apiVersion: 'v1', kind: 'Secret', metadata, data: { key: 'bmV3' } } as const;
        await capture.admin.create(corev1.secrets, made);
      };
      const act = after((request) => makeKey(sentObject(request).metadata.name));
      calls.on({ method: 'POST', path: /\/certificates\?(?!.*dryRun)/ }, act);
      return calls;
    };

    test('CAP-161 a key that a controller would make anew is the one that was captured, and its owner owns it again', async () => {
      const to = `${namespace}-keys`;
      await restore(withController(to), to);
      const { admin } = capture;
      const at = { namespace: to, name: 'ca' };
      const [secret, owner] = await Promise.all([admin.get(corev1.secrets, at), admin.get(CERTIFICATES, at)]);
      expect(secret.data).toEqual({ key });
      expect(secret.metadata.ownerReferences).toEqual([
        ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true }),
      ]);
      // Its controller makes this one again.
      expect(await ignoreNotFound(admin.get(corev1.configmaps, at))).toBeUndefined();
    });

    test('CAP-162 a restore that ends before its objects have their owners gives them these when it is run again', async () => {
      const to = `${namespace}-again`;
      const calls = withController(to);
      const forbidden = failWith(403, 'Forbidden', 'no changes today');
      const end = calls.on({ method: 'PATCH', path: /\/secrets\/ca(\?|$)/ }, forbidden);
      await expect(restore(calls, to)).rejects.toThrow('no changes today');
      end();
      const owners = async () =>
        (await capture.admin.get(corev1.secrets, { namespace: to, name: 'ca' })).metadata.ownerReferences ??
        [];
      expect(await owners()).toEqual([]);
      expect(await restore(calls, to)).toContain('0 objects were created');
      expect(await owners()).toMatchObject([{ kind: 'Certificate', name: 'ca', controller: true }]);
    });

    test('CAP-163 an object that somebody else has created keeps the owners that it has', async () => {
      const to = `${namespace}-theirs`;
      const { admin } = capture;
      await admin.create<KubeObject>(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: to },
      });
      const metadata = { namespace: to, name: 'ca' };
      await admin.create(corev1.secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data: { key } });
      expect(await restore(interceptCalls(), to)).toMatch(/unchanged +Secret\/ca/);
      expect((await admin.get(corev1.secrets, metadata)).metadata.ownerReferences).toBeUndefined();
    });

    test("CAP-164 a user's profile: its kind comes after all others, and is paused in a copy and bound to its namespace", async () => {
      const to = `${namespace}-profiles`;
      const calls = withController(to);
      const plan = await restore(calls, to, { profiles });
      expect(plan).toMatch(/create +Delivery\/all +paused, because it delivers to others/);
      const created = calls.made
        .filter(({ method, path }) => method === 'POST' && !path.includes('dryRun'))
        .map(({ path }) => path.split('?')[0]);
      expect(created.at(-1)).toMatch(/\/deliverys$/);
      const at = { namespace: to, name: 'all' };
      expect((await capture.admin.get(DELIVERIES, at)).spec).toEqual({ into: to, paused: true });
    });

    test.each([
      ['a word', 'Invalid value'],
      ['- {group: a.example.com}', 'kind: Required value'],
      ['- {group: a.example.com, kind: A, order: first}', 'supported values: "data", "last"'],
      ['- {group: a.example.com, kind: A, after: all}', 'after: unknown field'],
    ])('CAP-165 the file of profiles "%s" is rejected before anything is read: %s', async (text, message) => {
      const file = join(folder, 'bad.yaml');
      writeFileSync(file, text);
      const bad = restore(interceptCalls(), namespace, { profiles: file });
      await expect(bad).rejects.toThrow(`${file} is not a list of profiles`);
      await expect(restore(interceptCalls(), namespace, { profiles: file })).rejects.toThrow(message);
    });
  });
}
