import type { appsv1, corev1, Named, Stored } from '@kubewright/kube';
import { isAvailable } from '../../workloads/pod-state.ts';
import { type FindClaim, hasStaleClaim, needsNothing, NO_CLAIMS, planClaims } from './plan-claims.ts';
import type { PodAction } from './stateful-set-decision.ts';
import { isCreated, isLeaving, isOver, isPending, isRunningAndReady } from './pod-phase.ts';
import { hasIdentity, hasStorage, withIdentity, withStorage } from './missing-pod.ts';

type Pod = Named<corev1.Pod>;

export type Step = {
  readonly actions: readonly PodAction[];
  /** In an ordered set nothing further is done before this pod is well. */
  readonly blocks: boolean;
};

type Circumstances = { readonly findClaim: FindClaim; readonly parallel: boolean; readonly now: number };

/** What a pod in its place needs, one that is still to be made included. */
export function decideReplica(set: Stored<appsv1.StatefulSet>, pod: Pod, circumstances: Circumstances): Step {
  const { findClaim: find, parallel, now } = circumstances;
  if (isOver(pod)) return { actions: isLeaving(pod) ? [] : [{ type: 'delete', pod }], blocks: true };
  if (!isCreated(pod)) {
    const stale = hasStaleClaim(set, pod, find);
    const claims = planClaims(set, pod, { find, lacking: true });
    return { actions: stale ? [] : [{ type: 'create', pod, claims }], blocks: true };
  }
  const supplied = supply(set, pod, find);
  const well = isRunningAndReady(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  if (!parallel && (isLeaving(pod) || !well)) return { actions: supplied, blocks: true };
  return { actions: [...supplied, ...repair(set, pod, find)], blocks: false };
}

function supply(set: Stored<appsv1.StatefulSet>, pod: Pod, find: FindClaim): readonly PodAction[] {
  if (!isPending(pod)) return [];
  const claims = planClaims(set, pod, { find, lacking: true });
  return needsNothing(claims) ? [] : [{ type: 'supply', pod, claims }];
}

function repair(set: Stored<appsv1.StatefulSet>, pod: Pod, find: FindClaim): readonly PodAction[] {
  const identity = hasIdentity(set, pod);
  const storage = hasStorage(set, pod);
  // A pod that waits has been supplied already.
  const claims = isPending(pod) ? NO_CLAIMS : planClaims(set, pod, { find, lacking: !storage });
  if (identity && storage) return needsNothing(claims) ? [] : [{ type: 'repair', pod, claims }];
  const named = identity ? pod : withIdentity(set, pod);
  return [{ type: 'repair', pod, claims, change: storage ? named : withStorage(set, named) }];
}
