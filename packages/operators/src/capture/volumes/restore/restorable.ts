import { parseQuantity, scaledQuantity } from '@kubewright/kube/quantity';
import type { storagev1, Stored } from '@kubewright/kube';
import { SNAPSHOTTER } from '../../api/annotations.ts';
import { homeOf, SNAPSHOT_CONTENTS, type StoredContent } from '../../api/snapshots.ts';
import type { VolumeRestoreRequest } from '../../api/volume-restore-request.ts';
import { foundIn } from '../../requests/read-live.ts';
import { endsOnError, errorIn } from '../deadline-fault.ts';
import type { Fault } from '../volume-reason.ts';
import { readFault } from '../read-fault.ts';
import type { Passage } from './observed-restore.ts';

/** What a claim is restored from. */
export type Restorable = {
  readonly snapshotHandle: string;
  readonly source: StoredContent;
  /** A quantity. */
  readonly size: string;
};

/** Why it is still unknown whether a claim can be restored. */
export type NotYet = { readonly waitsFor: string };

/** A request as it is, or as it is to be made. */
type Wanted = Pick<VolumeRestoreRequest, 'spec'> & { readonly metadata: { readonly namespace: string } };

/** The source of the claim, what it waits for, or a permanent fault. */
export function restorable(request: Wanted, passage: Passage): Restorable | NotYet | Fault {
  const { sourceRef, pvcTemplate } = request.spec;
  const { kind = SNAPSHOT_CONTENTS.kind, name } = sourceRef;
  if (kind !== SNAPSHOT_CONTENTS.kind)
    return {
      reason: 'InvalidSource',
      message: `a claim is restored from a VolumeSnapshotContent, not from a ${kind}`,
    };
  const source = foundIn(passage.source);
  if (source === undefined)
    return readFault(passage.source, `VolumeSnapshotContent ${name}`) ?? { waitsFor: 'the source' };
  const fault =
    identityFault(request, source) ??
    classFault(pvcTemplate.spec?.storageClassName, passage, source) ??
    modeFault(pvcTemplate.spec?.volumeMode, source);
  return fault ?? readiness(request, source);
}

function identityFault({ metadata, spec: { sourceRef } }: Wanted, source: StoredContent): Fault | undefined {
  const { name, uid, deletionTimestamp } = source.metadata;
  if (sourceRef.uid && sourceRef.uid !== uid)
    return {
      reason: 'NotFound',
      message: `VolumeSnapshotContent ${name} was replaced: its uid is ${uid}, not ${sourceRef.uid}`,
    };
  if (deletionTimestamp !== undefined)
    return { reason: 'InvalidSource', message: `VolumeSnapshotContent ${name} is being deleted` };
  const home = homeOf(source);
  if (home === undefined || home === metadata.namespace || home === sourceRef.namespace) return undefined;
  const message = `VolumeSnapshotContent ${name} was taken in namespace ${home}: a request that is to restore it here has to name that in spec.sourceRef.namespace`;
  return { reason: 'RBACDenied', message };
}

function classFault(
  name: string | undefined,
  { storageClass }: Passage,
  source: StoredContent,
): Fault | undefined {
  if (!name) return { reason: 'InternalError', message: 'pvcTemplate.spec.storageClassName is missing' };
  const fault = readFault(storageClass, `StorageClass ${name}`);
  if (fault !== undefined) return fault;
  const { provisioner } = foundIn(storageClass) ?? ({} as Partial<Stored<storagev1.StorageClass>>);
  if (provisioner === source.spec.driver) return undefined;
  const message = `StorageClass ${name} uses ${provisioner}, the snapshot ${source.spec.driver}`;
  return { reason: 'Incompatible', message };
}

/** Provisioners change the mode of a volume only where the snapshot allows it, and try for ever. */
function modeFault(wanted: string | undefined, source: StoredContent): Fault | undefined {
  const { sourceVolumeMode = wanted } = source.spec;
  if (wanted === undefined || wanted === sourceVolumeMode || allowsModeChange(source)) return undefined;
  const message = `the claim wants volumeMode ${wanted}, the snapshot is of a volume of mode ${sourceVolumeMode}`;
  return { reason: 'Incompatible', message };
}

export function allowsModeChange({ metadata }: StoredContent): boolean {
  return metadata.annotations?.[SNAPSHOTTER.allowModeChange] === 'true';
}

function readiness(request: Wanted, source: StoredContent): Restorable | NotYet | Fault {
  const error = errorIn(source.status);
  if (error !== undefined)
    return endsOnError(request) ? { reason: 'InvalidSource', message: error } : { waitsFor: error };
  const { readyToUse, snapshotHandle, restoreSize = 0 } = source.status ?? {};
  if (readyToUse !== true || !snapshotHandle) return { waitsFor: 'the snapshot is not ready' };
  const size = requestedSize(request) ?? String(restoreSize);
  const bytes = bytesOf(size);
  if (bytes !== undefined && bytes >= BigInt(restoreSize)) return { snapshotHandle, source, size };
  const message = `the claim requests ${size}, the snapshot needs ${restoreSize} bytes`;
  return { reason: 'Incompatible', message };
}

function requestedSize({ spec }: Wanted): string | undefined {
  const wanted = spec.pvcTemplate.spec?.resources?.requests?.['storage'];
  return wanted === undefined ? undefined : String(wanted);
}

function bytesOf(size: string): bigint | undefined {
  try {
    return scaledQuantity(parseQuantity(size), 0);
  } catch {
    return undefined;
  }
}
