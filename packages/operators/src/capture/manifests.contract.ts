import { gunzipSync, gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { corev1, type KubeObject, type Stored, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { LABELS } from './api/annotations.ts';
import { CONTENT_CHUNKS, type ContentChunk } from './api/content-chunk.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS, type ManifestCheckpoint } from './api/manifest-checkpoint.ts';
import { captureParts } from './controller.ts';
import { readCheckpoint } from './manifests/read-checkpoint.ts';
import { NAMES } from './requests/names.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { after, failWith, interceptCalls, only, sentObject } from './testing/intercepted-calls.ts';
import { createManifestRequest, finished } from './testing/make-requests.ts';
import { noise } from './testing/noise.ts';

const ANY_KIND = { apiGroups: [''], resources: ['configmaps'] };
const MAPS = ['a', 'b', 'c'];
const REQUEST_STATUS = /\/manifestcapturerequests\/[^/]+\/status/;
const KEEPERS = /\/objectkeepers(\?|$)/;
const KEEPER = /\/objectkeepers\/nss-ok-/;
const CHECKPOINTS = /\/manifestcheckpoints(\?|$)/;
const CHECKPOINT_STATUS = /\/manifestcheckpoints\/[^/]+\/status/;
const CHUNKS = /\/manifestcheckpointcontentchunks(\?|$)/;
const BROKEN = failWith(500, 'InternalError');

/** A capture of three objects in three chunks: what is written, in which order, and how it goes on where it has stopped. */
export function manifestsContract(transport: () => Transport): void {
  describe('a capture of manifests', () => {
    const calls = interceptCalls();
    const env = { CAPTURE_CHUNK_BYTES: '1024' };
    const capture = useOperator(transport, captureParts, { anyKind: ANY_KIND, time: calls.time, env });
    const { namespace } = capture;
    beforeAll(async () => {
      await admissionChecks(capture);
      for (const name of MAPS) await writeMap(name, '1');
    });

    const writeMap = (name: string, version: string) =>
      capture.admin.apply(
        corev1.configmaps,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace, name },
          data: { version, noise: noise(2000) },
        },
        { fieldManager: 'test' },
      );
    const begin = (name: string) =>
      createManifestRequest(
        capture,
        name,
        MAPS.map((map) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: map })),
      );
    const ended = async (name: string): Promise<string> => {
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, name);
      const [{ status: is, reason, message } = { status: 'none' }] = status?.conditions ?? [];
      return `${is}/${reason} ${message}`;
    };
    const COMPLETED = 'True/Completed 3 objects are in ManifestCheckpoint';
    const request = (name: string) => capture.admin.get(MANIFEST_CAPTURE_REQUESTS, { namespace, name });
    const checkpointOf = ({ metadata: { uid } }: Stored) =>
      capture.admin.get(MANIFEST_CHECKPOINTS, { name: NAMES.checkpoint(uid) });
    const chunksOf = async ({ metadata }: ManifestCheckpoint): Promise<readonly ContentChunk[]> =>
      (await capture.admin.list(CONTENT_CHUNKS)).items
        .filter(({ spec }) => spec.checkpointName === metadata.name)
        .toSorted((one, other) => one.spec.index - other.spec.index);
    const readyOf = ({ status }: ManifestCheckpoint) =>
      status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is}/${reason}`);
    /** Ends the process as soon as it has tried so often in vain, and starts another one. */
    const crash = async (path: RegExp, meanwhile: () => Promise<unknown> = async () => undefined) => {
      const tries = () => calls.made.filter((call) => path.test(call.path) && call.status === 500).length;
      const before = tries();
      await expect.poll(() => tries() - before).toBeGreaterThan(0);
      await capture.stop();
      await meanwhile();
    };
    /** The writes about captures since then, in their order. */
    const writesSince = (start: number): readonly string[] =>
      calls.made.slice(start).flatMap(({ method, path, status }) => {
        const [, resource, sub = ''] =
          /\/(manifest\w+|objectkeepers)(?:\/[^/?]+(\/status)?)?/.exec(path) ?? [];
        const isIts = method !== 'GET' && !(resource === 'objectkeepers' && sub !== '');
        return isIts && resource !== undefined && status < 300 ? [`${method} ${resource}${sub}`] : [];
      });

    test('CAP-186 of objects that the server cannot read for now ends at its deadline', async () => {
      const target = { apiVersion: 'v1', kind: 'ConfigMap', name: 'unreadable' };
      const stop = calls.on(
        { method: 'GET', path: /\/configmaps\/unreadable/ },
        failWith(503, 'ServiceUnavailable'),
      );
      await capture.admin.create(MANIFEST_CAPTURE_REQUESTS, {
        apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
        kind: 'ManifestCaptureRequest',
        metadata: { namespace, name: 'unreadable' },
        spec: { targets: [target], deadlineSeconds: 1 },
      });
      expect(await ended('unreadable')).toBe('False/DeadlineExceeded not done after 1 s');
      stop();
    });

    test('CAP-66 CAP-93 writes in this order: Processing, keeper, checkpoint, chunks, Ready, Completed', async () => {
      const start = calls.made.length;
      let processing: Awaited<ReturnType<typeof request>> | undefined;
      const look = after(async () => void (processing = await request('ordered')));
      calls.on({ method: 'POST', path: KEEPERS }, look, 1);
      const made = await begin('ordered');
      expect(await ended('ordered')).toContain(COMPLETED);
      expect(processing?.status).toMatchObject({ conditions: [{ status: 'False', reason: 'Processing' }] });
      expect(processing?.status).not.toHaveProperty('completionTimestamp');
      expect(writesSince(start)).toEqual([
        'PATCH manifestcapturerequests/status',
        'POST objectkeepers',
        'POST manifestcheckpoints',
        'POST manifestcheckpointcontentchunks',
        'POST manifestcheckpointcontentchunks',
        'POST manifestcheckpointcontentchunks',
        'PATCH manifestcheckpoints/status',
        'PATCH manifestcapturerequests/status',
      ]);
      const checkpoint = await checkpointOf(made);
      expect(checkpoint.metadata.labels).toEqual({
        [LABELS.sourceRequest]: 'ordered',
        [LABELS.sourceNamespace]: namespace,
      });
      expect(readyOf(checkpoint)).toEqual(['Ready=True/Completed']);
      expect((await request('ordered')).status?.checkpointName).toBe(checkpoint.metadata.name);
    });

    test('CAP-78 CAP-D8 goes on after a crash before its first chunk, and is not complete before', async () => {
      const end = calls.on({ method: 'POST', path: CHUNKS }, BROKEN);
      const made = await begin('without');
      await crash(CHUNKS);
      expect(readyOf(await checkpointOf(made))).toBeUndefined();
      expect((await request('without')).status?.completionTimestamp).toBeUndefined();
      end();
      await capture.restart();
      expect(await ended('without')).toContain(COMPLETED);
      expect(await chunksOf(await checkpointOf(made))).toHaveLength(MAPS.length);
    });

    /** Only the first chunk is written. */
    const halved = async (name: string, meanwhile?: () => Promise<unknown>) => {
      const others = only(({ body }) => !String(body).includes('"index":0'), BROKEN);
      const end = calls.on({ method: 'POST', path: CHUNKS }, others);
      const made = await begin(name);
      await crash(CHUNKS, meanwhile);
      end();
      const checkpoint = await checkpointOf(made);
      return { made, checkpoint, chunks: await chunksOf(checkpoint) };
    };

    test('CAP-79 CAP-82 goes on after a crash between its chunks: the first one stays, where nothing has changed', async () => {
      const { made, chunks } = await halved('halved');
      expect(chunks).toHaveLength(1);
      await capture.restart();
      expect(await ended('halved')).toContain(COMPLETED);
      const [first, ...others] = await chunksOf(await checkpointOf(made));
      expect(first).toEqual(chunks[0]);
      expect(others).toHaveLength(MAPS.length - 1);
    });

    test('CAP-82 CAP-D9 fails when what it has not written yet has changed: no checkpoint mixes two moments', async () => {
      const { made, chunks } = await halved('mixed', () => writeMap('c', '2'));
      await capture.restart();
      expect(await ended('mixed')).toBe('False/Failed source changed during capture');
      const checkpoint = await checkpointOf(made);
      expect(readyOf(checkpoint)).toEqual(['Ready=False/Failed']);
      await expect(readCheckpoint(capture.admin, checkpoint.metadata.name)).rejects.toThrow();
      expect((await chunksOf(checkpoint)).length).toBeLessThan(MAPS.length);
      expect((await chunksOf(checkpoint))[0]).toEqual(chunks[0]);
    });

    test('CAP-80 finishes after a crash after its last chunk', async () => {
      const end = calls.on({ method: 'PATCH', path: CHECKPOINT_STATUS }, BROKEN);
      const made = await begin('open');
      await crash(CHECKPOINT_STATUS);
      const chunks = await chunksOf(await checkpointOf(made));
      expect(chunks).toHaveLength(MAPS.length);
      end();
      const start = calls.made.length;
      await capture.restart();
      expect(await ended('open')).toContain(COMPLETED);
      expect(writesSince(start).filter((write) => write.startsWith('POST manifest'))).toEqual([]);
      expect(await chunksOf(await checkpointOf(made))).toEqual(chunks);
    });

    test('CAP-81 ends after a crash after its checkpoint was complete, and writes that no more', async () => {
      const ending = only(({ body }) => String(body).includes('completionTimestamp'), BROKEN);
      const end = calls.on({ method: 'PATCH', path: REQUEST_STATUS }, ending);
      const made = await begin('unsaid');
      await crash(REQUEST_STATUS);
      const checkpoint = await checkpointOf(made);
      expect(readyOf(checkpoint)).toEqual(['Ready=True/Completed']);
      end();
      await capture.restart();
      expect(await ended('unsaid')).toBe(`${COMPLETED} ${checkpoint.metadata.name}`);
      expect(await checkpointOf(made)).toEqual(checkpoint);
    });

    /** Somebody else makes the first chunk a moment before, as `change` says. */
    const preempted = async (name: string, change: (chunk: ContentChunk) => ContentChunk) => {
      let theirs: ContentChunk | undefined;
      const hold = after(async (sent) => {
        const chunk = change(sentObject(sent) as ContentChunk);
        theirs = await capture.admin.create(CONTENT_CHUNKS, chunk);
      });
      calls.on({ method: 'POST', path: CHUNKS }, hold, 1);
      const made = await begin(name);
      const end = await ended(name);
      const key = { name: theirs?.metadata.name ?? '' };
      // It is left alone in any case.
      expect(await capture.admin.get(CONTENT_CHUNKS, key)).toEqual(theirs);
      return { end, checkpoint: await checkpointOf(made) };
    };
    const withSpec = (more: Partial<ContentChunk['spec']>) => (chunk: ContentChunk) => ({
      ...chunk,
      spec: { ...chunk.spec, ...more },
    });

    test('CAP-83 takes a chunk that is there already and has the planned content', async () => {
      expect((await preempted('same', (chunk) => chunk)).end).toContain(COMPLETED);
    });

    test('CAP-84 also if another zlib has compressed it', async () => {
      const { end, checkpoint } = await preempted('zlib', (chunk) => {
        const gzip = gzipSync(gunzipSync(Buffer.from(chunk.spec.data, 'base64')), { level: 1, memLevel: 1 });
        const data = gzip.toString('base64');
        expect(data).not.toBe(chunk.spec.data);
        const checksum = createHash('sha256').update(gzip).digest('hex');
        return withSpec({ data, checksum })(chunk);
      });
      expect(end).toContain(COMPLETED);
      expect(await readCheckpoint(capture.admin, checkpoint.metadata.name)).toHaveLength(MAPS.length);
    });

    test.each<[string, string, (chunk: ContentChunk) => ContentChunk, string]>([
      ['has another checksum', 'sum', withSpec({ checksum: '0'.repeat(64) }), 'its checksum is wrong'],
      ['names another checkpoint', 'named', withSpec({ checkpointName: 'other' }), 'belongs to another'],
      ['has another index', 'index', withSpec({ index: 2 }), 'belongs to another'],
      [
        'has another owner',
        'owner',
        ({ metadata, ...chunk }) => ({ ...chunk, metadata: { ...metadata, ownerReferences: [] } }),
        'belongs to another',
      ],
    ])('CAP-83 fails with its checkpoint where that %s', async (_title, name, change, message) => {
      const { end, checkpoint } = await preempted(`wrong-${name}`, change);
      expect(end).toMatch(/^False\/Failed /);
      expect(end).toContain(message);
      expect(readyOf(checkpoint)).toEqual(['Ready=False/Failed']);
    });

    /** Somebody else makes the checkpoint a moment before. */
    const found = async (
      name: string,
      change: (checkpoint: KubeObject) => KubeObject,
      status?: ManifestCheckpoint['status'],
    ): Promise<string> => {
      const hold = after(async (sent) => {
        const checkpoint = change(sentObject(sent)) as ManifestCheckpoint;
        await capture.admin.create(MANIFEST_CHECKPOINTS, checkpoint);
        if (status === undefined) return;
        const patch = { type: 'merge', body: { status } } as const;
        const key = { name: checkpoint.metadata.name };
        await capture.admin.patch(MANIFEST_CHECKPOINTS, key, patch, { subresource: 'status' });
      });
      calls.on({ method: 'POST', path: CHECKPOINTS }, hold, 1);
      await begin(name);
      return ended(name);
    };
    const readyIs = (status: 'True' | 'False', reason: string) => ({
      totalObjects: 3,
      conditions: [
        { type: 'Ready', status, reason, message: 'so it is', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    });
    const orphaned = ({ metadata, ...checkpoint }: KubeObject) => ({
      ...checkpoint,
      metadata: { ...metadata, ownerReferences: [] },
    });

    test('CAP-85 a checkpoint of its name that belongs to somebody else is a conflict', async () => {
      expect(await found('taken', orphaned)).toMatch(/^False\/Failed conflict: /);
    });

    test('CAP-85 CAP-D8 one that has failed fails it, and one that is Ready completes it', async () => {
      const same = (checkpoint: KubeObject) => checkpoint;
      expect(await found('was-failed', same, readyIs('False', 'Failed'))).toBe('False/Failed so it is');
      expect(await found('was-ready', same, readyIs('True', 'Completed'))).toContain(COMPLETED);
    });

    test.each([
      [403, 'Forbidden'],
      [422, 'Invalid'],
    ])('CAP-86 fails when its checkpoint is rejected with %i', async (code, reason) => {
      const end = calls.on({ method: 'POST', path: CHECKPOINTS }, failWith(code, reason, 'not this one'));
      const made = await begin(`rejected-${code}`);
      expect(await ended(`rejected-${code}`)).toBe('False/Failed not this one');
      end();
      await expect(checkpointOf(made)).rejects.toThrow('not found');
    });

    test('CAP-72 CAP-86 CAP-D14 passes over errors that pass, and a read that has not shown its keeper', async () => {
      for (const code of [500, 429, 504])
        calls.on({ method: 'GET', path: /\/configmaps\/a/ }, failWith(code, 'Passing'), 2);
      calls.on({ method: 'POST', path: CHECKPOINTS }, BROKEN, 2);
      calls.on({ method: 'GET', path: KEEPER }, failWith(404, 'NotFound'), 2);
      await begin('passing');
      expect(await ended('passing')).toContain(COMPLETED);
    });
  });
}
