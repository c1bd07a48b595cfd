import { formatTime, type Stored } from '@kubewright/kube';
import { formatQuantity } from '@kubewright/kube/quantity';
import type { VolumeSnapshotContent, VolumeSnapshotStatus } from '../api.ts';

const NANOSECONDS = 1_000_000n;

/** What a snapshot's status says when its content is as it is. What is known stays, but for readiness and error. */
export function statusFrom(
  status: VolumeSnapshotStatus | undefined,
  { metadata, status: seen = {} }: Stored<VolumeSnapshotContent>,
): VolumeSnapshotStatus {
  const { error: _, ...known } = status ?? {};
  const { creationTime, restoreSize, readyToUse = false, error } = seen;
  return {
    ...(creationTime === undefined ? {} : { creationTime: timeOf(creationTime) }),
    ...(restoreSize === undefined ? {} : { restoreSize: sizeOf(restoreSize) }),
    boundVolumeSnapshotContentName: metadata.name,
    ...known,
    readyToUse,
    ...(error === undefined || readyToUse ? {} : { error }),
  };
}

function timeOf(nanoseconds: number | bigint): string {
  return formatTime(new Date(Number(BigInt(nanoseconds) / NANOSECONDS)));
}

/** Bytes in powers of 1024, as far as they divide. */
function sizeOf(bytes: number | bigint): string {
  return formatQuantity({ unscaled: BigInt(bytes), scale: 0, format: 'binary' });
}
