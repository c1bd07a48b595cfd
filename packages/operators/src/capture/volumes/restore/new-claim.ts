import { defined, type corev1 } from '@kubewright/kube';
import { ANNOTATIONS, SNAPSHOTTER } from '../../api/annotations.ts';
import type { ObjectKeeper } from '../../api/object-keeper.ts';
import { SNAPSHOT_API_VERSION, type Snapshot, type SnapshotContent } from '../../api/snapshots.ts';
import type { VolumeRestoreRequest } from '../../api/volume-restore-request.ts';
import { ownedBy } from '../../requests/keeper-state.ts';
import { NAMES } from '../../requests/names.ts';
import { allowsModeChange, type Restorable } from './restorable.ts';

/**
 * A second content for the same snapshot, bound to a VolumeSnapshot. `Retain`: deleting it keeps the storage system's
 * snapshot.
 */
export function newContent(
  { metadata: { namespace, uid } }: VolumeRestoreRequest,
  keeper: ObjectKeeper,
  { source, snapshotHandle }: Restorable,
): SnapshotContent {
  const name = NAMES.restoreSnapshot(uid);
  const { driver, sourceVolumeMode, volumeSnapshotClassName } = source.spec;
  return {
    apiVersion: SNAPSHOT_API_VERSION,
    kind: 'VolumeSnapshotContent',
    metadata: {
      name,
      annotations: {
        [ANNOTATIONS.restoreUid]: uid,
        ...(allowsModeChange(source) && { [SNAPSHOTTER.allowModeChange]: 'true' }),
      },
      ownerReferences: ownedBy(keeper),
    },
    spec: {
      volumeSnapshotRef: { kind: 'VolumeSnapshot', namespace, name },
      deletionPolicy: 'Retain',
      driver,
      source: { snapshotHandle },
      ...defined({ sourceVolumeMode, volumeSnapshotClassName }),
    },
  };
}

/** The data source of the claim: stock provisioners restore from nothing else. */
export function newSnapshot(
  { metadata: { namespace, uid } }: VolumeRestoreRequest,
  keeper: ObjectKeeper,
): Snapshot {
  const name = NAMES.restoreSnapshot(uid);
  return {
    apiVersion: SNAPSHOT_API_VERSION,
    kind: 'VolumeSnapshot',
    metadata: {
      namespace,
      name,
      annotations: { [ANNOTATIONS.restoreUid]: uid },
      ownerReferences: ownedBy(keeper),
    },
    spec: { source: { volumeSnapshotContentName: name } },
  };
}

/** The claim belongs to the user, and outlives the request unless `pvcRetention` says otherwise. */
export function newClaim(
  request: VolumeRestoreRequest,
  keeper: ObjectKeeper,
  from: Restorable,
): corev1.PersistentVolumeClaim {
  const { namespace, uid } = request.metadata;
  const { pvcTemplate, pvcRetention } = request.spec;
  const { name, labels, annotations } = pvcTemplate.metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace,
      name,
      ...(labels && { labels }),
      annotations: { ...annotations, [ANNOTATIONS.restoreUid]: uid },
      ...(pvcRetention === 'WithRequest' && { ownerReferences: ownedBy(keeper) }),
    },
    spec: claimSpec(request, from),
  };
}

function claimSpec(
  { metadata, spec: { pvcTemplate } }: VolumeRestoreRequest,
  { size, source }: Restorable,
): corev1.PersistentVolumeClaimSpec {
  const { accessModes = ['ReadWriteOnce'], resources, storageClassName } = pvcTemplate.spec ?? {};
  const { volumeMode = source.spec.sourceVolumeMode } = pvcTemplate.spec ?? {};
  const requests = Object.entries(resources?.requests ?? {}).map(([key, value]) => [key, String(value)]);
  return {
    accessModes,
    resources: { requests: { ...Object.fromEntries(requests), storage: size } },
    ...(storageClassName && { storageClassName }),
    ...(volumeMode && { volumeMode }),
    dataSource: {
      apiGroup: 'snapshot.storage.k8s.io',
      kind: 'VolumeSnapshot',
      name: NAMES.restoreSnapshot(metadata.uid),
    },
  };
}
