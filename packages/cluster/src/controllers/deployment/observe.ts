import { appsv1, corev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { candidatesFor, ownedBy } from '../workloads/watch-controlled.ts';

/** Everything that a decision about one Deployment needs. */
export type Observed = {
  readonly deployment: Stored<appsv1.Deployment>;
  readonly replicaSets: readonly Stored<appsv1.ReplicaSet>[];
  /** The pods of a ReplicaSet, by its uid. */
  readonly podsOf: (uid: string) => readonly Stored<corev1.Pod>[];
  /** Milliseconds until what a ReplicaSet inherits may be written again; not positive: at once. */
  readonly renewalWait: (replicaSet: Stored<appsv1.ReplicaSet>) => number;
};

/** What is seen of a Deployment before it is settled which ReplicaSets are its own. */
export type Seen = Pick<Observed, 'deployment' | 'podsOf'> & {
  /** Its own ReplicaSets and the orphans of its namespace. */
  readonly candidates: readonly Stored<appsv1.ReplicaSet>[];
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
