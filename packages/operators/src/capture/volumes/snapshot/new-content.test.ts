import { expect, test } from 'vitest';
import type { SnapshotClass } from '../../api/snapshots.ts';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { requestMeta, stored, storedKeeper } from '../../testing/requests.ts';
import { newContent } from './new-content.ts';

const REQUEST: VolumeCaptureRequest = {
  apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
  kind: 'VolumeCaptureRequest',
  metadata: requestMeta('snap'),
  spec: { mode: 'Snapshot', externalErrorPolicy: 'Terminal' },
};
const snapshotClass = stored<SnapshotClass>({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: 'snaps' },
  driver: 'disk',
  deletionPolicy: 'Delete',
});
const from = { snapshotClass, volumeHandle: 'vol-1', volumeMode: 'Filesystem' } as const;
const keeper = storedKeeper(REQUEST, 'retainer-vcr-uid-snap');

test('a content is as external-snapshotter needs it to take and to delete a snapshot', () => {
  const { metadata, spec } = newContent(REQUEST, keeper, from);
  expect(metadata.annotations).toEqual({
    'storage-foundation.deckhouse.io/capture-request': 'shop/snap',
    'storage-foundation.deckhouse.io/capture-request-uid': 'uid-snap',
    'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted': 'yes',
  });
  expect(spec.volumeSnapshotRef).toEqual({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    namespace: 'shop',
    name: 'snapshot-uid-snap',
    uid: 'uid-snap',
  });
});

test('CAP-22 CAP-D22 a content that is deleted at once stays until the driver holds no snapshot of it', () => {
  expect(newContent(REQUEST, keeper, from).metadata.finalizers).toEqual([
    'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection',
  ]);
});

test('a content names the Secret with the credentials of the driver', () => {
  const secret = { name: 'disk-credentials', namespace: 'storage' };
  expect(newContent(REQUEST, keeper, { ...from, secret }).metadata.annotations).toMatchObject({
    'snapshot.storage.kubernetes.io/deletion-secret-name': 'disk-credentials',
    'snapshot.storage.kubernetes.io/deletion-secret-namespace': 'storage',
  });
});
