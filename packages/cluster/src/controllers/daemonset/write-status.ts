import type { Client } from '@kubewright/client';
import { appsv1, type Stored } from '@kubewright/kube';
import { undoneWait } from '../workloads/undone-wait.ts';

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

/**
 * By `update`, for which alone the controller's role has the right. Returns how long to wait for another look, where that
 * is needed.
 */
export async function writeStatus(
  client: Client,
  set: Stored<appsv1.DaemonSet>,
  status: Status,
): Promise<number | undefined> {
  const same = COUNTS.every((count) => (status[count] ?? 0) === (set.status?.[count] ?? 0));
  if (same && (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0)) return undefined;
  return undoneWait(
    set,
    await client.update(appsv1.daemonsets, { ...set, status }, { subresource: 'status' }),
  );
}
