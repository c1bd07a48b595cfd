import { appsv1, corev1 } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { candidatesFor, ownedBy } from '../workloads/by-controller.ts';

/** Everything that a decision about one Deployment needs. */
export type Observed = {
  readonly deployment: appsv1.Deployment;
  readonly replicaSets: readonly appsv1.ReplicaSet[];
  /** The pods of a ReplicaSet, by its uid. */
  readonly podsOf: (uid: string) => readonly corev1.Pod[];
  /** Milliseconds until what a ReplicaSet inherits may be written again; not positive: at once. */
  readonly renewalWait: (replicaSet: appsv1.ReplicaSet) => number;
};

/** What is seen of a Deployment before it is settled which ReplicaSets are its own. */
export type Seen = Pick<Observed, 'deployment' | 'podsOf'> & {
  /** Its own ReplicaSets and the orphans of its namespace. */
  readonly candidates: readonly appsv1.ReplicaSet[];
};

export function observe(cache: Cache, request: Request): Seen | undefined {
  const deployment = cache.get(appsv1.deployments, request);
  if (deployment === undefined) return undefined;
  return {
    deployment,
    candidates: candidatesFor(cache, appsv1.replicasets, deployment),
    podsOf: (uid) => ownedBy(cache, corev1.pods, uid),
  };
}
