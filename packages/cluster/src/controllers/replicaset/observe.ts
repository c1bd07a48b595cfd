import { appsv1, controllerOf, corev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { candidatesFor, ownedBy } from '../workloads/watch-controlled.ts';
import { isActive } from '../workloads/pod-state.ts';

/** Everything that a decision about one ReplicaSet needs. */
export type Observed = {
  readonly replicaSet: Stored<appsv1.ReplicaSet>;
  readonly pods: readonly Stored<corev1.Pod>[];
  /** Pods of all ReplicaSets of the same owner: whom a pod shares its node with counts when one must go. */
  readonly related: readonly Stored<corev1.Pod>[];
};

/** What is seen of a ReplicaSet before it is settled which pods are its own. */
export type Seen = Omit<Observed, 'pods'> & {
  /** Its own pods, and those orphans of its namespace that live. */
  readonly candidates: readonly Stored<corev1.Pod>[];
};

export function observe(cache: Cache, request: Request): Seen | undefined {
  const replicaSet = cache.get(appsv1.replicasets, request);
  if (replicaSet === undefined) return undefined;
  const owner = controllerOf(replicaSet)?.uid;
  const siblings = owner === undefined ? [] : ownedBy(cache, appsv1.replicasets, owner);
  return {
    replicaSet,
    candidates: candidatesFor(cache, corev1.pods, replicaSet).filter(
      (pod) => controllerOf(pod) !== undefined || isActive(pod),
    ),
    related: siblings.flatMap(({ metadata }) => ownedBy(cache, corev1.pods, metadata.uid)),
  };
}
