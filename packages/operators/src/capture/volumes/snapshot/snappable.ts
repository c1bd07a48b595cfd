import { defined, type storagev1, type Stored } from '@kubewright/kube';
import { ANNOTATIONS } from '../../api/annotations.ts';
import type { SnapshotClass, VolumeMode } from '../../api/snapshots.ts';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { foundIn } from '../../requests/read-live.ts';
import { claimFault, targetFault } from '../claim-fault.ts';
import { internal, readFault } from '../read-fault.ts';
import type { Fault } from '../volume-reason.ts';
import { missingSnapshot } from './missing-snapshot.ts';
import type { Source } from './observed-snapshot.ts';
import { type SnapshotSecret, snapshotSecret } from './snapshot-secret.ts';

/** What a snapshot is taken from. */
export type Snappable = {
  readonly volumeHandle: string;
  readonly volumeMode: VolumeMode;
  readonly snapshotClass: Stored<SnapshotClass>;
  /** Undefined if the driver needs none. */
  readonly secret?: SnapshotSecret;
};

/** What the snapshot needs, or the first fault found. */
export function snappable(request: VolumeCaptureRequest, source: Source): Snappable | Fault {
  return (
    modeFault(request) ??
    targetFault(request) ??
    claimFault(request, source.claim) ??
    volumeFault(source) ??
    classFault(source) ??
    taken(request, source)
  );
}

function modeFault({ spec: { mode } }: VolumeCaptureRequest): Fault | undefined {
  return mode === 'Snapshot' ? undefined : { reason: 'InvalidMode', message: `unknown mode ${mode}` };
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
function taken(request: VolumeCaptureRequest, { volume, snapshotClass: read }: Source): Snappable | Fault {
  const { csi, volumeMode = 'Filesystem' } = foundIn(volume)?.spec ?? {};
  const snapshotClass = foundIn(read);
  if (csi === undefined || snapshotClass === undefined) return internal('there is nothing to capture');
  const { driver, metadata } = snapshotClass;
  if (driver !== csi.driver)
    return internal(`VolumeSnapshotClass ${metadata.name} uses driver ${driver}, the volume ${csi.driver}`);
  const snapshot = missingSnapshot(request);
  const secret = snapshotSecret(snapshotClass, { content: snapshot.name, snapshot });
  if (secret !== undefined && 'reason' in secret) return secret;
  return { volumeHandle: csi.volumeHandle, volumeMode, snapshotClass, ...defined({ secret }) };
}

/** The VolumeSnapshotClass that a StorageClass names for its volumes. */
export function snapshotClassOf({ metadata }: storagev1.StorageClass): string | undefined {
  const name = metadata?.annotations?.[ANNOTATIONS.snapshotClass];
  return name === '' ? undefined : name;
}
