import { appsv1, controllerOf, corev1 } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { candidatesFor, ownedBy } from '../workloads/by-controller.ts';

/** Everything that a decision about one ReplicaSet needs. */
export type Observed = {
  readonly replicaSet: appsv1.ReplicaSet;
  /** Its own pods and the orphans of its namespace. */
  readonly candidates: readonly corev1.Pod[];
  /** Pods of all ReplicaSets of the same owner: whom a pod shares its node with counts when one must go. */
  readonly related: readonly corev1.Pod[];
};

export function observe(cache: Cache, request: Request): Observed | undefined {
  const replicaSet = cache.get(appsv1.replicasets, request);
  if (replicaSet === undefined) return undefined;
  const owner = controllerOf(replicaSet)?.uid;
  const siblings = owner === undefined ? [] : ownedBy(cache, appsv1.replicasets, owner);
  return {
    replicaSet,
    candidates: candidatesFor(cache, corev1.pods, replicaSet),
    related: siblings.flatMap(({ metadata }) => ownedBy(cache, corev1.pods, metadata.uid ?? '')),
  };
}
