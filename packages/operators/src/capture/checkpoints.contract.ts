import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { corev1, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CONTENT_CHUNKS, type ContentChunk } from './api/content-chunk.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from './api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { captureParts } from './controller.ts';
import { readCheckpoint } from './manifests/read-checkpoint.ts';
import { NAMES } from './requests/names.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { createManifestRequest, finished } from './testing/make-requests.ts';
import { runCommand } from './testing/run-command.ts';

const CAPTURABLE = { apiGroups: [''], resources: ['configmaps'] };

/** What is read of a checkpoint, and from files that were written from it. */
export function checkpointsContract(transport: () => Transport): void {
  describe('a checkpoint', () => {
    const capture = useOperator(transport, captureParts, { anyKind: CAPTURABLE });
    const { namespace } = capture;
    let parent = '';
    beforeAll(async () => {
      await admissionChecks(capture);
      parent = mkdtempSync(join(tmpdir(), 'kubewright-capture-'));
      for (const name of ['one', 'two']) await writeConfig(name, '1');
    });
    afterAll(() => rmSync(parent, { recursive: true }));

    const writeConfig = (name: string, value: string) =>
      capture.admin.apply(
        corev1.configmaps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { value } },
        { fieldManager: 'test', force: true },
      );
    /** The name of a checkpoint of some ConfigMaps. */
    const checkpointOf = async (request: string, names: readonly string[]): Promise<string> => {
      const targets = names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', name }));
      await createManifestRequest(capture, request, targets);
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, request);
      return status?.checkpointName ?? '';
    };
    const chunkOf = async (checkpoint: string): Promise<ContentChunk> => {
      const { status } = await capture.admin.get(MANIFEST_CHECKPOINTS, { name: checkpoint });
      return capture.admin.get(CONTENT_CHUNKS, { name: status?.chunks?.[0]?.name ?? '' });
    };
    const run = (...line: readonly string[]): Promise<string> => runCommand(capture, transport(), line);

    const writeBytes = (name: string, bytes: number) =>
      capture.admin.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name },
        binaryData: { bytes: randomBytes(bytes).toString('base64') },
      });

    test('CAP-74 CAP-D10 of more than fits into a chunk has several, and each is small enough for the server', async () => {
      const names = ['random-a', 'random-b', 'random-c'];
      for (const name of names) await writeBytes(name, 400_000);
      const checkpoint = await checkpointOf('random', names);
      const { status } = await capture.admin.get(MANIFEST_CHECKPOINTS, { name: checkpoint });
      const chunks = status?.chunks ?? [];
      expect(chunks.map(({ index }) => index)).toEqual([...chunks.keys()]);
      expect(chunks.length).toBeGreaterThan(1);
      const sum = (of: (chunk: (typeof chunks)[number]) => number) =>
        chunks.reduce((total, chunk) => total + of(chunk), 0);
      expect(status).toMatchObject({
        totalObjects: sum(({ objectsCount }) => objectsCount),
        totalSizeBytes: sum(({ sizeBytes }) => sizeBytes),
      });
      expect(status?.totalObjects).toBe(names.length);
      for (const { name, sizeBytes } of chunks) {
        const { spec } = await capture.admin.get(CONTENT_CHUNKS, { name });
        expect(spec.data.length).toBeLessThanOrEqual(1_048_576);
        expect(Buffer.byteLength(spec.data, 'base64')).toBe(sizeBytes);
      }
      const read = await readCheckpoint(capture.admin, checkpoint);
      const live = await Promise.all(
        names.map((name) => capture.admin.get(corev1.configmaps, { namespace, name })),
      );
      expect(read).toEqual(live);
    });

    test('CAP-75 CAP-76 CAP-D10 is not made of an object that fits into no chunk: that is named, once', async () => {
      await writeBytes('too-large', 790_000);
      await createManifestRequest(capture, 'too-large', [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'one' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'too-large' },
      ]);
      const { metadata, status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'too-large');
      expect(status?.conditions).toMatchObject([
        {
          status: 'False',
          reason: 'Failed',
          message: expect.stringContaining(`ConfigMap ${namespace}/too-large is too large`),
        },
      ]);
      const checkpoint = capture.admin.get(MANIFEST_CHECKPOINTS, { name: NAMES.checkpoint(metadata.uid) });
      await expect(checkpoint).rejects.toThrow('not found');
    });

    test('is read in the order of capture', async () => {
      const objects = await readCheckpoint(capture.admin, await checkpointOf('ordered', ['two', 'one']));
      expect(objects.map(({ metadata }) => metadata)).toMatchObject([{ name: 'one' }, { name: 'two' }]);
    });

    test('is not read at all when anything is missing or wrong', async () => {
      const name = await checkpointOf('whole', ['one', 'two']);
      const foreign = await chunkOf(await checkpointOf('other', ['one']));
      const { metadata, ...chunk } = await chunkOf(name);
      const { ownerReferences = [] } = metadata;
      const key = { name: metadata.name };
      const read = () => readCheckpoint(capture.admin, name);
      await capture.admin.delete(CONTENT_CHUNKS, key);
      await expect(read()).rejects.toThrow(key.name);
      const wrong: Readonly<Record<string, Partial<ContentChunk['spec']>>> = {
        'its content is not what was planned': { ...foreign.spec, checkpointName: name },
        'its checksum is wrong': { checksum: '0'.repeat(64) },
        'is not a gzip': { data: 'AAAA' },
        'belongs to another checkpoint': { index: 1 },
      };
      const create = (spec: Partial<ContentChunk['spec']>) =>
        capture.admin.create(CONTENT_CHUNKS, {
          ...chunk,
          metadata: { ...key, ownerReferences },
          spec: { ...chunk.spec, ...spec },
        });
      for (const [message, spec] of Object.entries(wrong)) {
        await create(spec);
        await expect(read(), message).rejects.toThrow(message);
        await capture.admin.delete(CONTENT_CHUNKS, key);
      }
      await create({});
      expect(await read()).toHaveLength(2);
    });

    test('whose status leaves out a chunk is not read', async () => {
      const name = await checkpointOf('cut', ['one']);
      const patch = { type: 'merge', body: { status: { chunks: [] } } } as const;
      await capture.admin.patch(MANIFEST_CHECKPOINTS, { name }, patch, { subresource: 'status' });
      await expect(readCheckpoint(capture.admin, name)).rejects.toThrow('are not those of its plan');
    });

    test('is exported, verified, and compared with the cluster', async () => {
      const name = await checkpointOf('to-files', ['one', 'two']);
      const folder = join(parent, 'out');
      expect(await run('export', name, folder)).toBe(`2 objects of ${name} are in ${folder}\n`);
      const digestOf = async (source: string) => /sha256 \w{64}/.exec(await run('verify', source))?.[0];
      expect(await digestOf(folder)).toBe(await digestOf(name));
      expect(await run('diff', folder)).toBe('2 objects are as they were captured\n');
      await writeConfig('two', '2');
      await expect(run('diff', name)).rejects.toMatchObject({
        code: 'Differs',
        message: '1 of 2 objects differ from the cluster',
      });
      await expect(run('export', name, folder)).rejects.toThrow('is not empty');
    });

    test('is exported as an archive, imported again, and kept for as long as it is asked for', async () => {
      const name = await checkpointOf('to-archive', ['one', 'two']);
      const archive = join(parent, 'out.tar.gz');
      expect(await run('export', name, archive)).toBe(`2 objects of ${name} are in ${archive}\n`);
      await expect(run('export', name, archive)).rejects.toThrow('exists; name a new one');
      const printed = await runCommand(capture, transport(), ['import', archive], { for: '1h' });
      const [, imported = ''] =
        /^ManifestCheckpoint (\S+) has 2 objects, and stays for 1h\n$/.exec(printed) ?? [];
      const digestOf = async (source: string) => /sha256 \w{64}/.exec(await run('verify', source))?.[0];
      const digests = await Promise.all([name, archive, imported].map(digestOf));
      expect(digests).toEqual([digests[0], digests[0], digests[0]]);
      expect(await readCheckpoint(capture.admin, imported)).toEqual(
        await readCheckpoint(capture.admin, name),
      );
      const { metadata, spec } = await capture.admin.get(MANIFEST_CHECKPOINTS, { name: imported });
      expect(spec?.sourceNamespace).toBe(namespace);
      const [owner] = metadata.ownerReferences ?? [];
      const keeper = await capture.admin.get(OBJECT_KEEPERS, { name: owner?.name ?? '' });
      expect(keeper).toMatchObject({ metadata: { uid: owner?.uid }, spec: { mode: 'TTL', ttl: '1h' } });
    });

    test('that is no longer whole is not imported: nothing is written', async () => {
      const name = await checkpointOf('to-damage', ['one']);
      const folder = join(parent, 'damaged');
      await run('export', name, folder);
      writeFileSync(join(folder, 'ConfigMap.v1.core', 'one.json'), '{}');
      const keepers = async () =>
        (await capture.admin.list(OBJECT_KEEPERS)).items.map(({ metadata }) => metadata.uid);
      const before = await keepers();
      await expect(runCommand(capture, transport(), ['import', folder], { for: '1h' })).rejects.toThrow(
        'has changed since it was exported',
      );
      // Those of other tests may go meanwhile.
      expect(before).toEqual(expect.arrayContaining(await keepers()));
    });
  });
}
