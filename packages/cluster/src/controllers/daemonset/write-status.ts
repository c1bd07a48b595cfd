import type { Client } from '@kubewright/client';
import { appsv1, type Stored } from '@kubewright/kube';

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

/** By `update`, for which alone the controller's role has the right. False where the server holds another status. */
export async function writeStatus(
  client: Client,
  set: Stored<appsv1.DaemonSet>,
  status: Status,
): Promise<boolean> {
  if (saysTheSame(set, status)) return true;
  const stored = await client.update(appsv1.daemonsets, { ...set, status }, { subresource: 'status' });
  return saysTheSame(stored, status);
}

function saysTheSame({ metadata, status: last }: Stored<appsv1.DaemonSet>, next: Status): boolean {
  const same = COUNTS.every((count) => (next[count] ?? 0) === (last?.[count] ?? 0));
  return same && (last?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
