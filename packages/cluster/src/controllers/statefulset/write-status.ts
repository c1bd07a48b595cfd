import type { Client } from '@kubewright/client';
import { appsv1, type Stored } from '@kubewright/kube';
import { updateChangedStatus } from '../workloads/update-changed-status.ts';

type Status = appsv1.StatefulSetStatus;

const COUNTS = [
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'currentReplicas',
  'updatedReplicas',
] as const satisfies readonly (keyof Status)[];

/** Returns how long to wait until the next look, where that is needed. */
export function writeStatus(
  client: Client,
  set: Stored<appsv1.StatefulSet>,
  status: Status,
): Promise<number | undefined> {
  const same = saysTheSame(status, set.status);
  return updateChangedStatus(client, appsv1.statefulsets, set, { status, same });
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
