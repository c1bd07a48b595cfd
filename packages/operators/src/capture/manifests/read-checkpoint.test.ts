import { canonicalJson, type KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { CONTENT_CHUNKS } from '../api/content-chunk.ts';
import { MANIFEST_CHECKPOINTS } from '../api/manifest-checkpoint.ts';
import { at, requestMeta, storedKeeper } from '../testing/requests.ts';
import { useServer } from '../testing/use-server.ts';
import { completeStatus, judgeChunk, newCheckpoint, newChunk } from './new-checkpoint.ts';
import { packAll } from '../testing/pack-all.ts';
import { noise } from '../testing/noise.ts';
import { checkpointObjects, readCheckpoint } from './read-checkpoint.ts';

const REQUEST = {
  apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
  kind: 'ManifestCaptureRequest',
  metadata: requestMeta('all'),
  spec: { targets: [] },
};

const configMap = (index: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: `map-${String(index).padStart(5, '0')}` },
});
const configMaps = (count: number): readonly KubeObject[] =>
  Array.from({ length: count }, (_none, index) => configMap(index));

describe('a checkpoint is read', () => {
  const site = useServer([MANIFEST_CHECKPOINTS.definition, CONTENT_CHUNKS.definition]);

  /** Stores what its status and its chunks say of each chunk, which `change` makes wrong. */
  async function store(objects: readonly KubeObject[], change = { count: 0, total: 0 }): Promise<string> {
    const { admin } = site;
    const packed = await packAll(objects);
    const made = newCheckpoint(REQUEST, storedKeeper(REQUEST, 'k'), packed);
    const checkpoint = await admin.create(MANIFEST_CHECKPOINTS, made);
    const statuses = [];
    for (const [index, content] of packed.entries()) {
      const { spec, ...chunk } = newChunk(checkpoint, index, content);
      const objectsCount = spec.objectsCount + change.count;
      const stored = await admin.create(CONTENT_CHUNKS, { ...chunk, spec: { ...spec, objectsCount } });
      const judged = judgeChunk(checkpoint, index, { ...stored, spec });
      statuses.push(judged.type === 'kept' ? judged.status : expect.fail(judged.message));
    }
    const status = completeStatus(checkpoint, statuses, at(0));
    const body = { status: { ...status, totalObjects: (status.totalObjects ?? 0) + change.total } };
    const { name } = checkpoint.metadata;
    await admin.patch(MANIFEST_CHECKPOINTS, { name }, { type: 'merge', body }, { subresource: 'status' });
    return name;
  }

  test('CAP-D12 with as many objects as were captured, in their order', async () => {
    const objects = configMaps(10_001);
    const read = await readCheckpoint(site.admin, await store(objects));
    expect(canonicalJson(read)).toBe(canonicalJson(objects));
  });

  test('of which some objects are wanted is read for these alone', async () => {
    const objects = configMaps(3).map((object) => ({ ...object, data: { text: noise(500_000) } }));
    const name = await store(objects);
    const { items } = await site.admin.list(CONTENT_CHUNKS);
    expect(items.map(({ spec }) => spec.objectsCount)).toEqual([1, 1, 1]);
    for (const { metadata, spec } of items)
      if (spec.index !== 1) await site.admin.delete(CONTENT_CHUNKS, { name: metadata.name });
    await expect(readCheckpoint(site.admin, name)).rejects.toThrow('not found');
    const found: unknown[] = [];
    for await (const object of checkpointObjects(site.admin, name, new Set([1]))) found.push(object);
    expect(found).toEqual([objects[1]]);
  });

  test.each([
    ['chunks', { count: 1, total: 0 }, 'its content is not what was planned'],
    ['status', { count: 0, total: 1 }, 'has 3 objects, its status says 4'],
  ])('CAP-96 CAP-D12 with no object more or less than its %s say', async (_title, change, message) => {
    const name = await store(configMaps(3), change);
    await expect(readCheckpoint(site.admin, name)).rejects.toThrow(message);
  });

  test('CAP-89 CAP-D11 with values that look like a map of another language, and integers beyond 2^53', async () => {
    const tags = [{ Key: 'a', Value: 'b' }];
    const odd = { ...configMap(0), tags, big: 9_007_199_254_740_993n };
    const read = await readCheckpoint(site.admin, await store([odd]));
    expect(canonicalJson(read)).toBe(canonicalJson([odd]));
  });
});
