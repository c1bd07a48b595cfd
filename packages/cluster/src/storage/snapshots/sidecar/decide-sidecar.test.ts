import { defined } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { VolumeSnapshotClass, VolumeSnapshotContent, VolumeSnapshotContentStatus } from '../api.ts';
import { BEING_CREATED, BEING_DELETED, CONTENT_FINALIZER } from '../marks.ts';
import { decideSidecar } from './decide-sidecar.ts';

const HELD = { finalizers: [CONTENT_FINALIZER] };
const DYING = { ...HELD, deletionTimestamp: '2026-01-01T00:00:00Z' };
const ASKED = { annotations: { [BEING_CREATED]: 'yes' } };
const ENDS = { ...DYING, annotations: { [BEING_DELETED]: 'yes' } };

const contentOf = (
  metadata: VolumeSnapshotContent['metadata'] = {},
  status?: VolumeSnapshotContentStatus,
  spec: Partial<VolumeSnapshotContent['spec']> = {},
): VolumeSnapshotContent => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotContent',
  metadata: { name: 'content', uid: 'c', ...metadata },
  spec: {
    volumeSnapshotRef: { namespace: 'ns', name: 'snap', uid: 's' },
    deletionPolicy: 'Delete',
    driver: 'disk',
    source: { volumeHandle: 'h' },
    volumeSnapshotClassName: 'daily',
    ...spec,
  },
  ...defined({ status }),
});
const daily: VolumeSnapshotClass = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: 'daily' },
  driver: 'disk',
  deletionPolicy: 'Delete',
  parameters: { tier: 'cold' },
};
const taken = { snapshotHandle: 'snap-h', readyToUse: true };
const pending = { snapshotHandle: 'snap-h', readyToUse: false };
const given = { source: { snapshotHandle: 'given' } };
const retained = { deletionPolicy: 'Retain' } as const;
const order = { name: 'snapshot-s', volumeHandle: 'h', parameters: { tier: 'cold' } };

test.each<[string, VolumeSnapshotContent, VolumeSnapshotClass | undefined, object]>([
  ['that is new', contentOf(), daily, { type: 'create', order, isFirst: true }],
  ['that is not ready yet', contentOf(ASKED, pending), daily, { type: 'create', order, isFirst: false }],
  ['that is not ready yet, and settled', contentOf({}, pending), daily, { type: 'look', handle: 'snap-h' }],
  ['that is ready', contentOf({}, taken), daily, { type: 'none' }],
  ['that is ready, and not settled', contentOf(ASKED, taken), daily, { type: 'settle' }],
  ['made by hand from a snapshot', contentOf({}, undefined, given), daily, { type: 'look', handle: 'given' }],
  [
    'for a snapshot that has not come',
    contentOf({}, undefined, { volumeSnapshotRef: { namespace: 'ns', name: 'snap' } }),
    daily,
    {
      type: 'fail',
      message: 'cannot call CreateSnapshot. Snapshot content content not bound to a snapshot',
    },
  ],
  ['whose class is gone', contentOf(), undefined, { type: 'fail', isFirst: true }],
  ['that was deleted before anything was asked for', contentOf(DYING), daily, { type: 'none' }],
  [
    'that is deleted while the storage system has not answered',
    contentOf({ ...ENDS, annotations: { ...ENDS.annotations, ...ASKED.annotations } }, pending),
    daily,
    { type: 'create', isFirst: false },
  ],
  ['that is deleted with its snapshot', contentOf(ENDS, taken), daily, { type: 'delete', handle: 'snap-h' }],
  ['that is deleted without its snapshot', contentOf(DYING, taken), daily, { type: 'none' }],
  ['that is deleted and retained', contentOf(ENDS, taken, retained), daily, { type: 'release' }],
  ['of which nothing is left', contentOf(ENDS, {}), daily, { type: 'release' }],
  ['that was released', contentOf({ ...ENDS, finalizers: [] }, {}), daily, { type: 'none' }],
])('a content %s', (_title, content, snapshotClass, expected) => {
  expect(decideSidecar(content, snapshotClass)).toMatchObject(expected);
});
