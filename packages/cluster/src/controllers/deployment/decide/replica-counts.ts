import type { appsv1, Stored } from '@kubewright/kube';
import { scaledValue } from '../../workloads/scaled-value.ts';

type Deployment = Stored<appsv1.Deployment>;
type ReplicaSet = appsv1.ReplicaSet;

/** Pods that the Deployment should have. */
export function desiredOf({ spec }: Deployment): number {
  return spec.replicas ?? 1;
}

/** Pods that a ReplicaSet should have. */
export function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

export function isActiveSet(replicaSet: ReplicaSet): boolean {
  return sizeOf(replicaSet) > 0;
}

export function totalSize(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + sizeOf(replicaSet), 0);
}

type Count = 'replicas' | 'readyReplicas' | 'availableReplicas';

/** What the ReplicaSets say they have. */
export function totalOf(replicaSets: readonly ReplicaSet[], count: Count): number {
  return replicaSets.reduce((sum, { status }) => sum + (status?.[count] ?? 0), 0);
}

export function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

/** How far a rolling update may go above and below the desired number. Both zero would be a standstill. */
export function roomOf(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { strategy } = deployment.spec;
  if (strategy?.type !== 'RollingUpdate') return { surge: 0, unavailable: 0 };
  const desired = desiredOf(deployment);
  const surge = scaledValue(strategy.rollingUpdate?.maxSurge, desired, true);
  const unavailable = scaledValue(strategy.rollingUpdate?.maxUnavailable, desired, false);
  const either = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { surge, unavailable: Math.min(either, desired) };
}

/** The most pods that there may be at a time. */
export function maxPodsOf(deployment: Deployment): number {
  return desiredOf(deployment) + roomOf(deployment).surge;
}
