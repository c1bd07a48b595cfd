import type { Client } from '@kubewright/client';
import { appsv1, type Stored } from '@kubewright/kube';
import { undoneWait } from '../workloads/undone-wait.ts';

type Status = appsv1.StatefulSetStatus;

const COUNTS = [
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'currentReplicas',
  'updatedReplicas',
] as const satisfies readonly (keyof Status)[];

/**
 * By `update`, for which alone the controller's role has the right. Returns how long to wait for another look, where that
 * is needed.
 */
export async function writeStatus(
  client: Client,
  set: Stored<appsv1.StatefulSet>,
  status: Status,
): Promise<number | undefined> {
  if (saysTheSame(status, set.status)) return undefined;
  return undoneWait(
    set,
    await client.update(appsv1.statefulsets, { ...set, status }, { subresource: 'status' }),
  );
}

/** A generation older than the one observed before is no news, nor are collisions alone. */
function saysTheSame(next: Status, last: Status | undefined): boolean {
  if (last === undefined) return false;
  return (
    (next.observedGeneration ?? 0) <= (last.observedGeneration ?? 0) &&
    COUNTS.every((count) => (next[count] ?? 0) === (last[count] ?? 0)) &&
    next.currentRevision === last.currentRevision &&
    next.updateRevision === last.updateRevision
  );
}
