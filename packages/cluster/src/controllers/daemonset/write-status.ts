import type { Client } from '@kubewright/client';
import { appsv1, type Stored } from '@kubewright/kube';
import { updateChangedStatus } from '../workloads/update-changed-status.ts';

type Status = appsv1.DaemonSetStatus;

const COUNTS = [
  'desiredNumberScheduled',
  'currentNumberScheduled',
  'numberMisscheduled',
  'numberReady',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const satisfies readonly (keyof Status)[];

/** Returns how long to wait until the next look, where that is needed. */
export function writeStatus(
  client: Client,
  set: Stored<appsv1.DaemonSet>,
  status: Status,
): Promise<number | undefined> {
  const same =
    (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0) &&
    COUNTS.every((count) => (status[count] ?? 0) === (set.status?.[count] ?? 0));
  return updateChangedStatus(client, appsv1.daemonsets, set, { status, same });
}
