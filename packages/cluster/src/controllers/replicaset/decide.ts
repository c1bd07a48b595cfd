import { type appsv1, type corev1, defined, type Stored } from '@kubewright/kube';
import { isActive, nextAvailability } from '../workloads/pod-state.ts';
import { rankPods } from '../workloads/rank-pods.ts';
import type { Observed } from './observe.ts';
import { statusOf } from './status-of.ts';

export type ReplicaSetAction =
  | { readonly type: 'create'; readonly count: number }
  | { readonly type: 'delete'; readonly pod: Stored<corev1.Pod> };

export type ReplicaSetDecision = {
  readonly actions: readonly ReplicaSetAction[];
  /** What the status should say if the actions succeed, or if the first that failed said `failure`. */
  status(failure?: string): appsv1.ReplicaSetStatus;
  readonly requeueAfter?: number;
  readonly reason: 'Deleting' | 'TooFew' | 'TooMany' | 'AsDesired';
};

/** Pods made or deleted in one go. */
const BURST = 500;

/** What brings one ReplicaSet to its number of pods. `now` is in milliseconds. */
export function decide(observed: Observed, now: number): ReplicaSetDecision {
  const { replicaSet, pods, related } = observed;
  const active = pods.filter(isActive);
  const status = (failure?: string): appsv1.ReplicaSetStatus =>
    statusOf(replicaSet, pods, { now, ...defined({ failure }) });
  const wait = nextAvailability(active, replicaSet.spec.minReadySeconds ?? 0, now);
  const requeue = wait === undefined ? {} : { requeueAfter: wait };
  if (replicaSet.metadata.deletionTimestamp !== undefined)
    return { actions: [], status, ...requeue, reason: 'Deleting' };
  const excess = active.length - (replicaSet.spec.replicas ?? 1);
  if (excess === 0) return { actions: [], status, ...requeue, reason: 'AsDesired' };
  if (excess < 0) {
    const create = { type: 'create', count: Math.min(-excess, BURST) } as const;
    return { actions: [create], status, ...requeue, reason: 'TooFew' };
  }
  const victims = rankPods(active, related, now).slice(0, Math.min(excess, BURST));
  const actions = victims.map((pod) => ({ type: 'delete', pod }) as const);
  return { actions, status, ...requeue, reason: 'TooMany' };
}
