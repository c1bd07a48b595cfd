import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { collectBody, createClient, systemClock } from '@kubewright/client';
import { canonicalJson, type JsonObject, type KubeObject, parseJson, type Transport } from '@kubewright/kube';
import { Registry, silentLogger } from '@kubewright/runtime';
import { beforeEach, describe, expect, test } from 'vitest';
import { CONTENT_CHUNKS, type ContentChunk } from '../api/content-chunk.ts';
import {
  type CheckpointStatus,
  MANIFEST_CHECKPOINTS,
  type ManifestCheckpoint,
} from '../api/manifest-checkpoint.ts';
import { completeStatus, judgeChunk, newCheckpoint, newChunk } from '../manifests/new-checkpoint.ts';
import { packAll } from '../testing/pack-all.ts';
import { at, requestMeta, storedKeeper } from '../testing/requests.ts';
import { ADMIN_TOKEN, useServer } from '../testing/use-server.ts';
import { readApi } from './add-read-api.ts';

const PATH = '/apis/subresources.state-snapshotter.deckhouse.io/v1alpha1/manifestcheckpoints';
const REQUEST = {
  apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
  kind: 'ManifestCaptureRequest',
  metadata: requestMeta('all'),
  spec: { targets: [] },
};
const NAME = newCheckpoint(REQUEST, storedKeeper(REQUEST, 'k'), []).metadata.name;

const configMap = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name, uid: `uid-${name}` },
  data: { name, '<&>': 'é' },
});

describe('the API that reads checkpoints', () => {
  const site = useServer([MANIFEST_CHECKPOINTS.definition, CONTENT_CHUNKS.definition]);

  let registry: Registry;
  beforeEach(() => void (registry = new Registry()));

  /** Stores each object in a chunk of its own. */
  async function store(objects: readonly KubeObject[], isComplete = true): Promise<void> {
    const packed = (await Promise.all(objects.map((object) => packAll([object])))).flat();
    const keeper = storedKeeper(REQUEST, 'k');
    const checkpoint = await site.admin.create(MANIFEST_CHECKPOINTS, newCheckpoint(REQUEST, keeper, packed));
    const statuses = [];
    for (const [index, content] of packed.entries()) {
      const chunk = await site.admin.create(CONTENT_CHUNKS, newChunk(checkpoint, index, content));
      const judged = judgeChunk(checkpoint, index, chunk);
      statuses.push(judged.type === 'kept' ? judged.status : expect.fail(judged.message));
    }
    if (!isComplete) return;
    const body = { status: completeStatus(checkpoint, statuses, at(0)) };
    await site.admin.patch(
      MANIFEST_CHECKPOINTS,
      { name: NAME },
      { type: 'merge', body },
      { subresource: 'status' },
    );
  }

  type Sent = { readonly method?: string; readonly headers?: Readonly<Record<string, string>> };

  async function call(path: string, { method = 'GET', headers }: Sent = {}, transport?: Transport) {
    const client = createClient(transport ?? site.server.transport());
    const api = readApi({ client, clock: systemClock, registry });
    const { status, body, ...rest } = await api({
      method,
      url: path,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
      certificate: undefined,
      log: silentLogger,
      signal: new AbortController().signal,
    });
    const bytes = typeof body === 'string' ? Buffer.from(body) : await collectBody(body, 1e8);
    const unzipped = rest.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : Buffer.from(bytes);
    return { status, headers: rest.headers, text: unzipped.toString() };
  }
  const read = (sent: Sent = {}, transport?: Transport) => call(`${PATH}/${NAME}/manifests`, sent, transport);
  const messageIn = (text: string): unknown => (parseJson(text) as JsonObject)['message'];

  const twelve = Array.from({ length: 12 }, (_, index) => configMap(`map-${String(index).padStart(2, '0')}`));

  test('CAP-94 CAP-D12 the order of capture, whichever chunk arrives first, and the same bytes each time', async () => {
    await store(twelve);
    const expected = `${canonicalJson(twelve)}\n`;
    expect((await read()).text).toBe(expected);
    const way = site.server.transport();
    const held: (() => void)[] = [];
    const reversed: Transport = {
      async request(request) {
        if (!request.path.includes('/manifestcheckpointcontentchunks/')) return way.request(request);
        await new Promise<void>((resolve) => {
          held.push(resolve);
          // Those that are under way together are let through from the last to the first.
          setImmediate(() => held.pop()?.());
        });
        return way.request(request);
      },
      close: () => way.close(),
    };
    for (let turn = 0; turn < 3; turn++) expect((await read({}, reversed)).text).toBe(expected);
  });

  test('CAP-95 what is missing, not ready, written or not allowed', async () => {
    expect(await read()).toMatchObject({ status: 404 });
    await store([configMap('a')], false);
    expect(await read()).toMatchObject({ status: 409, text: expect.stringContaining('is not Ready') });
    expect(await read({ method: 'POST' })).toMatchObject({ status: 405 });
    expect(await read({ headers: { authorization: '' } })).toMatchObject({ status: 401 });
    expect(await read({ headers: { authorization: 'Bearer nobodys' } })).toMatchObject({ status: 401 });
    expect(await call(`${PATH}/${NAME}`)).toMatchObject({ status: 404 });
  });

  test('CAP-96 CAP-D12 a chunk that is missing or wrong is named, and nothing is sent', async () => {
    await store([configMap('a'), configMap('b')]);
    const { items } = await site.admin.list(CONTENT_CHUNKS);
    const second = items.find(({ spec }) => spec.index === 1) ?? expect.fail('there is no second chunk');
    const key = { name: second.metadata.name };
    await site.admin.delete(CONTENT_CHUNKS, key);
    const { ownerReferences = [] } = second.metadata;
    await site.admin.create(CONTENT_CHUNKS, {
      ...second,
      metadata: { ...key, ownerReferences },
      spec: { ...second.spec, checksum: '0' },
    });
    const wrong = await read();
    expect([wrong.status, messageIn(wrong.text)]).toEqual([500, `chunk ${key.name}: its checksum is wrong`]);
    await site.admin.delete(CONTENT_CHUNKS, key);
    const missing = await read();
    expect([missing.status, messageIn(missing.text)]).toEqual([500, expect.stringContaining(key.name)]);
    const { values = [] } = (await registry.getSingleMetric('capture_damaged_reads_total')?.get()) ?? {};
    expect(values).toMatchObject([{ value: 2 }]);
  });

  type Damage = (
    chunk: ContentChunk,
    checkpoint: ManifestCheckpoint,
  ) => {
    readonly spec?: Partial<ContentChunk['spec']>;
    readonly status?: Partial<CheckpointStatus>;
  };
  const flipped = (data: string): string => {
    const bytes = Buffer.from(data, 'base64');
    // The operating system in the header of the gzip: it unpacks as before.
    bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
    return bytes.toString('base64');
  };
  const emptied = ({ status }: ManifestCheckpoint) => ({
    chunks: (status?.chunks ?? []).map((chunk) => ({ ...chunk, checksum: '' })),
  });
  const bomb = gzipSync(Buffer.alloc(80 * 2 ** 20));

  test.each<[string, Damage, string]>([
    ['has a flipped bit', ({ spec }) => ({ spec: { data: flipped(spec.data) } }), 'its checksum is wrong'],
    [
      'has one, and no checksum in the status',
      ({ spec }, checkpoint) => ({ spec: { data: flipped(spec.data) }, status: emptied(checkpoint) }),
      'its checksum is wrong',
    ],
    ['miscounts its objects', () => ({ spec: { objectsCount: 2 } }), 'not what was planned'],
    [
      'unpacks to more than any chunk may',
      () => ({
        spec: {
          data: bomb.toString('base64'),
          checksum: createHash('sha256').update(bomb).digest('hex'),
        },
      }),
      'its data is not a gzip, or unpacks to too much',
    ],
    [
      'has another index in the status',
      (_chunk, { status }) => ({
        status: { chunks: (status?.chunks ?? []).map((one) => ({ ...one, index: one.index * 2 })) },
      }),
      'are not those of its plan',
    ],
  ])('CAP-96 CAP-D12 not a byte where a chunk %s', async (_title, damage, message) => {
    await store([configMap('a'), configMap('b')]);
    const checkpoint = await site.admin.get(MANIFEST_CHECKPOINTS, { name: NAME });
    const { items } = await site.admin.list(CONTENT_CHUNKS);
    const chunk = items.find(({ spec }) => spec.index === 1) ?? expect.fail('there is no second chunk');
    const { spec, status } = damage(chunk, checkpoint);
    if (spec !== undefined) {
      const { name, ownerReferences = [] } = chunk.metadata;
      await site.admin.delete(CONTENT_CHUNKS, { name });
      const metadata = { name, ownerReferences };
      await site.admin.create(CONTENT_CHUNKS, { ...chunk, metadata, spec: { ...chunk.spec, ...spec } });
    }
    const patch = { type: 'merge', body: { status: status ?? {} } } as const;
    await site.admin.patch(MANIFEST_CHECKPOINTS, { name: NAME }, patch, { subresource: 'status' });
    const { status: code, text } = await read();
    expect([code, messageIn(text)]).toEqual([500, expect.stringContaining(message)]);
    expect(text).not.toContain('"a"');
  });

  test('CAP-96 without its checksum in the status, a chunk is verified by its plan', async () => {
    await store([configMap('a')]);
    const checkpoint = await site.admin.get(MANIFEST_CHECKPOINTS, { name: NAME });
    const patch = { type: 'merge', body: { status: emptied(checkpoint) } } as const;
    await site.admin.patch(MANIFEST_CHECKPOINTS, { name: NAME }, patch, { subresource: 'status' });
    expect((await read()).text).toBe(`${canonicalJson([configMap('a')])}\n`);
  });

  test('CAP-97 zipped where that is accepted, with the same content', async () => {
    await store(twelve);
    const plain = await read({ headers: { 'accept-encoding': 'identity, gzip;q=0' } });
    const zipped = await read({ headers: { 'accept-encoding': 'deflate, gzip' } });
    expect([plain.headers['content-encoding'], zipped.headers['content-encoding']]).toEqual([
      undefined,
      'gzip',
    ]);
    expect(zipped.text).toBe(plain.text);
  });

  test('CAP-97 a checkpoint that was made anew under its name is read anew', async () => {
    await store([configMap('old')]);
    expect((await read()).text).toContain('"old"');
    await site.admin.delete(MANIFEST_CHECKPOINTS, { name: NAME });
    await site.admin.deleteAll(CONTENT_CHUNKS, {});
    await store([configMap('new')]);
    expect((await read()).text).toBe(`${canonicalJson([configMap('new')])}\n`);
  });

  test('as they are to be created in another namespace', async () => {
    await store([configMap('a')]);
    const { text } = await call(`${PATH}/${NAME}/manifests?targetNamespace=shop-2`);
    expect(parseJson(text)).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'shop-2', name: 'a' },
        data: { name: 'a', '<&>': 'é' },
      },
    ]);
  });

  test('of a checkpoint of nothing, an empty array', async () => {
    await store([]);
    expect((await read()).text).toBe('[]\n');
  });
});
