import { jsonEqual, type KubeObject, ownerReferenceTo, setCondition } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { ContentChunk } from '../api/content-chunk.ts';
import type { ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import type { ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import { at, requestMeta, stored, storedKeeper, timeAt } from '../testing/requests.ts';
import { type CaptureDecision, captureRefused, decide } from './decide.ts';
import { judgeChunk, newCheckpoint, newChunk } from './new-checkpoint.ts';
import type { ObservedCapture } from './observed-capture.ts';
import { packAll } from '../testing/pack-all.ts';
import type { PackedChunk } from './pack-objects.ts';

const REQUEST: ManifestCaptureRequest = {
  apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
  kind: 'ManifestCaptureRequest',
  metadata: requestMeta('all'),
  spec: { targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'one' }] },
};
const KEEPER = storedKeeper(REQUEST, 'nss-ok');
const OURS = { type: 'ours', keeper: KEEPER } as const;

/** One chunk for each value, as several large objects would need. */
async function chunksOf(...values: readonly string[]): Promise<readonly PackedChunk[]> {
  const chunks = values.map((value) => {
    const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: value } };
    return packAll([object]);
  });
  return (await Promise.all(chunks)).flat();
}
const PACKED = await chunksOf('a', 'b', 'c');
const CHECKPOINT: ManifestCheckpoint = stored(newCheckpoint(REQUEST, KEEPER, PACKED));

/** A chunk as the server has it. */
function chunkAt(index: number, spec: Partial<ContentChunk['spec']> = {}, of = CHECKPOINT): ContentChunk {
  const packed = PACKED[index];
  if (packed === undefined) throw new RangeError(`no chunk ${index}`);
  const chunk = newChunk(of, index, packed);
  return stored({ ...chunk, spec: { ...chunk.spec, ...spec } });
}
const judged = (index: number, chunk = chunkAt(index)) => judgeChunk(CHECKPOINT, index, chunk);
const missing = (index: number, chunks = PACKED) =>
  ({ type: 'missing', index, collected: { type: 'packed', chunks } }) as const;

const decided = (more: Partial<ObservedCapture>, seconds = 2): CaptureDecision =>
  decide({ request: REQUEST, keeper: OURS, checkpoint: CHECKPOINT, chunks: [], ...more }, at(seconds));
const failure = ({ reason, action }: CaptureDecision): string => {
  if (reason !== 'FailCheckpoint' || action?.type !== 'reportCheckpoint') return reason;
  return action.status.conditions?.[0]?.message ?? '';
};

describe('after a crash', () => {
  test('CAP-78 CAP-D8 before the first chunk: it is written; a checkpoint without its chunks is never complete', () => {
    expect(decided({ chunks: [missing(0)] })).toMatchObject({
      reason: 'CreateChunk',
      action: { type: 'createChunk', chunk: { spec: { index: 0, objectsCount: 1 } } },
    });
  });

  test('CAP-79 after chunk 0 of 3: that one stays, the next one is written', () => {
    expect(decided({ chunks: [judged(0), missing(1)] }).action).toMatchObject({
      type: 'createChunk',
      chunk: { spec: { index: 1 } },
    });
  });

  test('CAP-80 after all chunks: the checkpoint is completed', () => {
    const { action } = decided({ chunks: [judged(0), judged(1), judged(2)] });
    expect(action).toMatchObject({
      type: 'reportCheckpoint',
      status: { totalObjects: 3, conditions: [{ type: 'Ready', status: 'True', reason: 'Completed' }] },
    });
  });

  test('CAP-81 after the checkpoint: the request is completed with its name, and nothing is written', () => {
    const ready = { type: 'Ready', status: 'True', reason: 'Completed', message: '' } as const;
    const checkpoint = { ...CHECKPOINT, status: { conditions: setCondition([], ready, timeAt(1)) } };
    const { status, action } = decided({ checkpoint });
    expect(action).toBeUndefined();
    expect(status).toMatchObject({
      checkpointName: CHECKPOINT.metadata.name,
      conditions: [{ status: 'True', reason: 'Completed' }],
    });
  });

  test('CAP-82 CAP-D9 when a target has changed since: the checkpoint fails, and mixes no two moments', async () => {
    const now = await chunksOf('a', 'changed', 'c');
    expect(failure(decided({ chunks: [judged(0), missing(1, now)] }))).toBe('source changed during capture');
    const gone = { type: 'fault', message: 'ConfigMap shop/one not found' } as const;
    expect(failure(decided({ chunks: [{ type: 'missing', index: 0, collected: gone }] }))).toBe(
      'source changed during capture: ConfigMap shop/one not found',
    );
    // Only what is missing has to be as it was planned.
    expect(decided({ chunks: [judged(0), missing(1, await chunksOf('changed', 'b', 'c'))] }).reason).toBe(
      'CreateChunk',
    );
  });
});

describe('a chunk of the name that a chunk would have', async () => {
  test('CAP-83 is accepted for its content', () => {
    expect(judged(1)).toMatchObject({ type: 'kept', status: { index: 1 } });
  });

  const other: ManifestCheckpoint = {
    ...CHECKPOINT,
    metadata: { ...CHECKPOINT.metadata, uid: 'uid-other' },
  };
  test.each<[string, ContentChunk, string]>([
    ['has another checksum', chunkAt(1, { checksum: '0'.repeat(64) }), 'its checksum is wrong'],
    ['has other content', chunkAt(1, chunkAt(2).spec), 'it belongs to another checkpoint'],
    ['has the content of another', chunkAt(1, { ...chunkAt(2).spec, index: 1 }), 'not what was planned'],
    ['names another checkpoint', chunkAt(1, { checkpointName: 'other' }), 'belongs to another checkpoint'],
    ['belongs to another checkpoint', chunkAt(1, {}, other), 'belongs to another checkpoint'],
  ])('CAP-83 and ends the capture where it %s', (_title, chunk, message) => {
    const state = judged(1, chunk);
    expect(state).toMatchObject({ type: 'wrong', message: expect.stringContaining(message) });
    const decision = decided({ chunks: [judged(0), state] });
    expect(failure(decision)).toContain(message);
    // Its status alone: the chunk is left as it is.
    expect(decision.action?.type).toBe('reportCheckpoint');
  });
});

test('CAP-85 CAP-D8 a checkpoint that has failed fails its request', () => {
  const failed = { type: 'Ready', status: 'False', reason: 'Failed', message: 'why' } as const;
  const checkpoint = { ...CHECKPOINT, status: { conditions: setCondition([], failed, timeAt(1)) } };
  expect(decided({ checkpoint }).status?.conditions).toMatchObject([{ reason: 'Failed', message: 'why' }]);
});

test.each([403, 422])(
  'CAP-86 a write that is rejected with %i ends the request, and keeps nothing back',
  (code) => {
    const observed: ObservedCapture = { request: REQUEST, keeper: OURS, chunks: [] };
    const { status } = captureRefused(observed, { code, reason: 'any', message: 'no' }, at(3));
    expect(status).toMatchObject({
      completionTimestamp: timeAt(3),
      conditions: [{ status: 'False', reason: 'Failed', message: 'no' }],
    });
  },
);

test('CAP-86 CAP-D14 a keeper of ours that exists already is used', () => {
  const { checkpoint: _none, ...seen } = { checkpoint: CHECKPOINT };
  const collected = { type: 'packed', chunks: PACKED } as const;
  const decision = decide({ ...seen, request: REQUEST, keeper: OURS, chunks: [], collected }, at(1));
  expect(decision.action).toMatchObject({
    type: 'createCheckpoint',
    checkpoint: { metadata: { ownerReferences: [ownerReferenceTo(KEEPER, { controller: true })] } },
  });
});

test('CAP-93 CAP-D20 Processing begins once, and has no time of completion', () => {
  const author = { type: 'checked', name: 'alice' } as const;
  const first = decide({ request: REQUEST, keeper: { type: 'absent' }, author, chunks: [] }, at(1)).status;
  expect(first).toMatchObject({ conditions: [{ reason: 'Processing', lastTransitionTime: timeAt(1) }] });
  expect(first?.completionTimestamp).toBeUndefined();
  const request = { ...REQUEST, status: first ?? {} };
  const collected = { type: 'packed', chunks: PACKED } as const;
  const later = decide({ request, keeper: OURS, chunks: [], collected }, at(60)).status;
  expect(jsonEqual(later ?? null, first ?? null)).toBe(true);
});
