import { expect, test } from 'vitest';
import type { VolumeSnapshot, VolumeSnapshotContent } from '../api.ts';
import { BEING_DELETED, BOUND_FINALIZER, CONTENT_FINALIZER, has, isMarked } from '../marks.ts';
import { decideContent } from './decide-content.ts';

const HELD = { finalizers: [CONTENT_FINALIZER] };
const DYING = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const bound = { namespace: 'ns', name: 'snap', uid: 's' };

const contentOf = (
  metadata: VolumeSnapshotContent['metadata'] = {},
  volumeSnapshotRef: VolumeSnapshotContent['spec']['volumeSnapshotRef'] = bound,
): VolumeSnapshotContent => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotContent',
  metadata: { name: 'content', ...metadata },
  spec: { volumeSnapshotRef, deletionPolicy: 'Delete', driver: 'disk', source: { volumeHandle: 'h' } },
});
const snapshotOf = (metadata: Partial<VolumeSnapshot['metadata']> = {}): VolumeSnapshot => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { ...bound, ...metadata },
  spec: { source: {} },
});
const ending = snapshotOf({ ...DYING, finalizers: [BOUND_FINALIZER] });

test.each<[string, VolumeSnapshotContent, VolumeSnapshot | undefined, 'none' | 'hold' | 'mark']>([
  ['that is new', contentOf(), snapshotOf(), 'hold'],
  ['that is held', contentOf(HELD), snapshotOf(), 'none'],
  ['for a snapshot that has not come', contentOf({}, { namespace: 'ns', name: 'snap' }), undefined, 'none'],
  ['for a snapshot that does not exist', contentOf(), undefined, 'hold'],
  ['that is to go, for a snapshot that does not exist', contentOf(DYING), undefined, 'none'],
  ['whose snapshot is to go', contentOf(HELD), ending, 'mark'],
  [
    'whose snapshot is to go, and is marked so',
    contentOf({ ...HELD, annotations: { [BEING_DELETED]: 'yes' } }),
    ending,
    'none',
  ],
  ['whose snapshot is to go and is not held', contentOf(HELD), snapshotOf(DYING), 'none'],
  ['that is to go, with its snapshot', contentOf(DYING), ending, 'mark'],
  ['that is to go by itself', contentOf(DYING), snapshotOf(), 'none'],
])('a content %s', (_title, content, snapshot, expected) => {
  const next = decideContent(content, snapshot);
  const gained = (test: (one: VolumeSnapshotContent) => boolean): boolean =>
    next !== undefined && test(next) && !test(content);
  const isHeld = gained((one) => has(one, CONTENT_FINALIZER));
  const isMarkedDeleted = gained((one) => isMarked(one, BEING_DELETED));
  expect([next !== undefined, isHeld, isMarkedDeleted]).toEqual([
    expected !== 'none',
    expected === 'hold',
    expected === 'mark',
  ]);
});
