import type { KubeObject, storagev1, Stored } from '@kubewright/kube';
import { ANNOTATIONS } from '../../api/annotations.ts';
import type { SnapshotClass } from '../../api/snapshots.ts';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { foundIn, type LiveRead } from '../../requests/read-live.ts';
import type { Fault } from '../volume-reason.ts';
import type { Source } from './observed-snapshot.ts';

/** What a snapshot is taken from. */
export type Snappable = {
  readonly volumeHandle: string;
  readonly volumeMode: string;
  readonly snapshotClass: Stored<SnapshotClass>;
};

/** What the snapshot needs, or the first fault found. */
export function snappable(request: VolumeCaptureRequest, source: Source): Snappable | Fault {
  return (
    targetFault(request) ??
    claimFault(request, source) ??
    volumeFault(source) ??
    classFault(source) ??
    taken(source)
  );
}

function targetFault({ metadata, spec: { mode, target } }: VolumeCaptureRequest): Fault | undefined {
  if (mode !== 'Snapshot') {
    const message = mode === 'Detach' ? 'mode Detach is not implemented' : `unknown mode ${String(mode)}`;
    return { reason: 'InvalidMode', message };
  }
  if (target === undefined) return internal('spec.target is missing');
  const { apiVersion, kind, namespace = '' } = target;
  if (apiVersion !== 'v1' || kind !== 'PersistentVolumeClaim')
    return {
      reason: 'UnsupportedTargetKind',
      message: `${apiVersion} ${kind} is not a PersistentVolumeClaim`,
    };
  if (namespace === '' || namespace === metadata.namespace) return undefined;
  return { reason: 'RBACDenied', message: `the target is in another namespace, ${namespace}` };
}

function claimFault({ spec: { target } }: VolumeCaptureRequest, { claim }: Source): Fault | undefined {
  const title = `PersistentVolumeClaim ${target?.name}`;
  if (claim?.type !== 'found') return readFault(claim, title);
  const { uid } = claim.object.metadata;
  if (uid !== target?.uid)
    return { reason: 'NotFound', message: `${title} was replaced: its uid is ${uid}, not ${target?.uid}` };
  return claim.object.spec.volumeName ? undefined : internal(`${title} is not bound`);
}

function volumeFault({ claim, volume }: Source): Fault | undefined {
  const title = `PersistentVolume ${foundIn(claim)?.spec.volumeName}`;
  if (volume?.type !== 'found') return readFault(volume, title);
  return volume.object.spec.csi?.volumeHandle ? undefined : internal(`${title} is not a CSI volume`);
}

function classFault({ claim, storageClass, snapshotClass }: Source): Fault | undefined {
  const name = foundIn(claim)?.spec.storageClassName;
  if (!name) return internal('the claim has no storageClassName');
  const title = `StorageClass ${name}`;
  if (storageClass?.type !== 'found') return readFault(storageClass, title);
  const className = snapshotClassOf(storageClass.object);
  if (className !== undefined) return readFault(snapshotClass, `VolumeSnapshotClass ${className}`);
  const message = `${title} names no VolumeSnapshotClass: set its annotation ${ANNOTATIONS.snapshotClass}`;
  return { reason: 'NotFound', message };
}

/** The volume, if the class's driver is its own. */
function taken({ volume, snapshotClass: read }: Source): Snappable | Fault {
  const { csi, volumeMode = 'Filesystem' } = foundIn(volume)?.spec ?? {};
  const snapshotClass = foundIn(read);
  if (csi === undefined || snapshotClass === undefined) return internal('there is nothing to capture');
  const { driver, metadata } = snapshotClass;
  if (driver === csi.driver) return { volumeHandle: csi.volumeHandle, volumeMode, snapshotClass };
  return internal(`VolumeSnapshotClass ${metadata.name} uses driver ${driver}, the volume ${csi.driver}`);
}

/** The VolumeSnapshotClass that a StorageClass names for its volumes. */
export function snapshotClassOf({ metadata }: storagev1.StorageClass): string | undefined {
  const name = metadata?.annotations?.[ANNOTATIONS.snapshotClass];
  return name === '' ? undefined : name;
}

/** The fault of a failed read. */
export function readFault<T extends KubeObject>(
  read: LiveRead<T> | undefined,
  title: string,
): Fault | undefined {
  if (read?.type === 'found') return undefined;
  if (read?.type === 'forbidden') return { reason: 'RBACDenied', message: read.message };
  return { reason: 'NotFound', message: `${title} not found` };
}

function internal(message: string): Fault {
  return { reason: 'InternalError', message };
}
