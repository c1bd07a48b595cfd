import { ANNOTATIONS, SNAPSHOTTER } from '../../api/annotations.ts';
import type { ObjectKeeper } from '../../api/object-keeper.ts';
import { SNAPSHOT_API_VERSION, type SnapshotContent } from '../../api/snapshots.ts';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { ownedBy } from '../../requests/keeper-state.ts';
import { NAMES } from '../../requests/names.ts';
import { missingSnapshot } from './missing-snapshot.ts';
import type { SnapshotSecret } from './snapshot-secret.ts';
import type { Snappable } from './snappable.ts';

/**
 * A content as the snapshot controller makes it, but of a VolumeSnapshot that does not exist: the driver's sidecar takes
 * the snapshot nevertheless, and no VolumeSnapshot takes it along when its namespace is deleted. The sidecar needs the
 * uid, by which the storage system's snapshot is named, and only deletes a snapshot whose content has the annotation
 * that the snapshot controller sets when a VolumeSnapshot is deleted; until the content is deleted it has no effect.
 *
 * The finalizer is the snapshot controller's own, which it would add a moment later. The sidecar does not wait for that:
 * a content that is deleted in between would be gone while the driver takes its snapshot, which nobody would delete.
 */
export function newContent(
  request: VolumeCaptureRequest,
  keeper: ObjectKeeper,
  { snapshotClass, volumeHandle, volumeMode, secret }: Snappable,
): SnapshotContent {
  const { namespace, name, uid } = request.metadata;
  return {
    apiVersion: SNAPSHOT_API_VERSION,
    kind: 'VolumeSnapshotContent',
    metadata: {
      name: NAMES.snapshotContent(uid),
      annotations: {
        [ANNOTATIONS.request]: `${namespace}/${name}`,
        [ANNOTATIONS.requestUid]: uid,
        [SNAPSHOTTER.beingDeleted]: 'yes',
        ...credentials(secret),
      },
      ownerReferences: ownedBy(keeper),
      finalizers: [SNAPSHOTTER.finalizer],
    },
    spec: {
      volumeSnapshotRef: missingSnapshot(request),
      driver: snapshotClass.driver,
      volumeSnapshotClassName: snapshotClass.metadata.name,
      deletionPolicy: snapshotClass.deletionPolicy,
      source: { volumeHandle },
      sourceVolumeMode: volumeMode,
    },
  };
}

/** The sidecar takes and deletes a snapshot with the Secret of these annotations. */
function credentials(secret: SnapshotSecret | undefined): Readonly<Record<string, string>> {
  if (secret === undefined) return {};
  return { [SNAPSHOTTER.secretName]: secret.name, [SNAPSHOTTER.secretNamespace]: secret.namespace };
}
