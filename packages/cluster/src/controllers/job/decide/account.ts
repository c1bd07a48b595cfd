import type { corev1, Stored } from '@kubewright/kube';
import { isActive } from '../../workloads/pod-state.ts';
import type { Assessment } from './assess.ts';
import { judgeFailure } from './judge-failure.ts';
import { recorded, uidOf } from './recorded.ts';
import { completionIndex, isFailed, isIndexed, isSucceeded, isTracked, isValid } from './job-pods.ts';

type Pod = Stored<corev1.Pod>;

export type Account = {
  readonly succeeded: number;
  readonly failed: number;
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Pods whose finalizer is removed as soon as the status has the rest of this. */
  readonly released: readonly Pod[];
};

/** Bounds what one status names, and the pods released at once. */
const MOST_UNCOUNTED = 500;

/**
 * Counts each pod once, in two steps between which anything may break: a pod that is over is named in the status; then
 * it is released, by removing its finalizer; a pod that is named but no longer held is added to the numbers.
 */
export function account(assessment: Assessment): Account {
  const { job, pods } = assessment;
  const { succeeded, failed, uncounted: before } = recorded(job);
  const tracked = pods.filter(isTracked);
  const held = new Set(tracked.map(uidOf));
  const still = (uids: readonly string[]): string[] => uids.filter((uid) => held.has(uid));
  const uncounted = { succeeded: still(before.succeeded), failed: still(before.failed) };
  const counts = {
    succeeded: succeeded + before.succeeded.length - uncounted.succeeded.length,
    failed: failed + before.failed.length - uncounted.failed.length,
  };
  const released: Pod[] = [];
  for (const pod of tracked.filter((one) => mayGo(assessment, one)))
    if (isNamed(uncounted, pod, outcomeOf(assessment, pod, uncounted.failed))) released.push(pod);
  return { ...counts, uncounted, released: released.slice(0, MOST_UNCOUNTED) };
}

type Outcome = 'succeeded' | 'failed';

/** Names a pod, as far as there is room, if it is to be named at all. */
function isNamed(
  uncounted: Readonly<Record<Outcome, string[]>>,
  pod: Pod,
  outcome: Outcome | undefined,
): boolean {
  if (outcome === undefined || uncounted[outcome].includes(uidOf(pod))) return true;
  const isFull = uncounted.succeeded.length + uncounted.failed.length >= MOST_UNCOUNTED;
  if (!isFull) uncounted[outcome].push(uidOf(pod));
  return !isFull;
}

/** As what a pod is to be named. Of an indexed Job, the index of a success is in the status, which is enough. */
function outcomeOf(assessment: Assessment, pod: Pod, failed: readonly string[]): Outcome | undefined {
  const { job } = assessment;
  if (isSucceeded(pod) && !failed.includes(uidOf(pod))) return isIndexed(job) ? undefined : 'succeeded';
  if (!isLoss(assessment, pod) || !isValid(pod, job)) return undefined;
  return judgeFailure(job, pod).counts ? 'failed' : undefined;
}

/** What a Job that fails had to stop has failed; of what one that succeeds no longer needs, nobody speaks. */
function isLoss({ job, ending }: Assessment, pod: Pod): boolean {
  if (ending?.type === 'FailureTarget') return true;
  return ending?.type === 'SuccessCriteriaMet' ? pod.status?.phase === 'Failed' : isFailed(pod, job);
}

function mayGo({ job, ending, awaitingSuccessor }: Assessment, pod: Pod): boolean {
  if (job.metadata.deletionTimestamp !== undefined || isSucceeded(pod)) return true;
  if (ending !== undefined) return !isActive(pod);
  if (!isFailed(pod, job)) return false;
  const waiting = awaitingSuccessor.get(completionIndex(pod) ?? -1);
  return waiting === undefined || uidOf(waiting) !== uidOf(pod);
}
