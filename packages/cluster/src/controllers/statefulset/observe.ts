import { appsv1, corev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { revisionsOf } from '../history/revisions-of.ts';
import { candidatesFor } from '../workloads/watch-controlled.ts';
import type { FindClaim } from './decide/plan-claims.ts';

export type Seen = {
  readonly set: Stored<appsv1.StatefulSet>;
  /** Its own pods and the orphans of its namespace. */
  readonly candidates: readonly Stored<corev1.Pod>[];
  /** Oldest first; orphans that it may adopt included. */
  readonly revisions: readonly Stored<appsv1.ControllerRevision>[];
  readonly findClaim: FindClaim;
};

export function observe(cache: Cache, request: Request): Seen | undefined {
  const set = cache.get(appsv1.statefulsets, request);
  if (set === undefined) return undefined;
  const { namespace } = set.metadata;
  return {
    set,
    candidates: candidatesFor(cache, corev1.pods, set),
    revisions: revisionsOf(cache, set),
    findClaim: (name) => cache.get(corev1.persistentvolumeclaims, { namespace, name }),
  };
}
