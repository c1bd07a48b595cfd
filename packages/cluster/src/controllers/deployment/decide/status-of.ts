import { type appsv1, defined, type Stored } from '@kubewright/kube';
import { type Conditions, withCondition } from './conditions.ts';
import type { Generations } from './find-generations.ts';
import { desiredOf, roomOf, totalOf, totalSize } from './replica-counts.ts';

type Status = appsv1.DeploymentStatus;

const AVAILABLE = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
} as const;
const UNAVAILABLE = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
} as const;

/** `status` as the ReplicaSets add up to it. */
export function statusOf(
  deployment: Stored<appsv1.Deployment>,
  { current, old }: Generations<appsv1.ReplicaSet>,
  conditions: Conditions,
  now: number,
): Status {
  const { metadata, status } = deployment;
  const all = [...old, ...(current === undefined ? [] : [current])];
  const available = totalOf(all, 'availableReplicas');
  const enough = available >= desiredOf(deployment) - roomOf(deployment).unavailable;
  const terminating = terminatingOf(all);
  return {
    ...positive({
      observedGeneration: metadata.generation ?? 0,
      replicas: totalOf(all, 'replicas'),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: totalOf(all, 'readyReplicas'),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, totalSize(all) - available),
    }),
    ...defined({ terminatingReplicas: terminating }),
    conditions: withCondition(conditions, enough ? AVAILABLE : UNAVAILABLE, now),
    ...(status?.collisionCount === undefined ? {} : { collisionCount: status.collisionCount }),
  };
}

/** Unknown if a ReplicaSet that was looked at since it was made does not say. */
function terminatingOf(all: readonly appsv1.ReplicaSet[]): number | undefined {
  let sum = 0;
  for (const { status } of all) {
    if (status?.terminatingReplicas !== undefined) sum += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return sum;
}

/** Go leaves zeros out. */
function positive(counts: Readonly<Record<string, number>>): Status {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as Status;
}
