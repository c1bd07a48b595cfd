import type { batchv1, corev1, Stored } from '@kubewright/kube';
import { finishTime } from './finish-time.ts';
import {
  ignoredIndexFailures,
  indexFailures,
  isFailed,
  isSucceeded,
  isTracked,
  isValid,
} from './job-pods.ts';

/** What is remembered of a Job's failures: the status does not say when they were. */
export type FailureRecord = {
  readonly failures: number;
  /** Milliseconds; of the last of them. */
  readonly lastFailure?: number;
  /** Uids of pods that are in it, as long as they are there to be met again. */
  readonly seen: ReadonlySet<string>;
};

export const NO_FAILURES: FailureRecord = { failures: 0, seen: new Set() };

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** Failures in a row: a success begins anew, and only what failed after it counts. */
export function noteFailures(
  record: FailureRecord,
  job: Stored<batchv1.Job>,
  pods: readonly Stored<corev1.Pod>[],
): FailureRecord {
  const { uncountedTerminatedPods: uncounted = {} } = job.status ?? {};
  const counted = new Set([...(uncounted.succeeded ?? []), ...(uncounted.failed ?? []), ...record.seen]);
  const ended = pods.filter(
    (pod) => isTracked(pod) && isValid(pod, job) && (isSucceeded(pod) || isFailed(pod, job)),
  );
  const uid = ({ metadata }: Stored<corev1.Pod>): string => metadata.uid;
  const seen = new Set(ended.map(uid));
  const fresh = ended.filter((pod) => !counted.has(uid(pod)));
  const lastSuccess = Math.max(...fresh.filter(isSucceeded).map(finishTime));
  const failed = fresh.filter((pod) => !isSucceeded(pod)).map(finishTime);
  const after = failed.filter((time) => time > lastSuccess);
  const anew = fresh.some(isSucceeded);
  const before = anew ? NO_FAILURES : record;
  if (after.length === 0) return { ...before, seen };
  return { failures: before.failures + after.length, lastFailure: Math.max(...after), seen };
}

/** Milliseconds before the next pod may be made. */
export function remainingBackOff({ failures, lastFailure = 0 }: FailureRecord, now: number): number {
  if (failures === 0) return 0;
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.max(0, lastFailure + wait - now);
}

/** The same for one index, whose last pod knows how often it failed. */
export function remainingForIndex(last: Stored<corev1.Pod> | undefined, now: number): number {
  if (last === undefined) return 0;
  const failures = indexFailures(last) + ignoredIndexFailures(last) + 1;
  return remainingBackOff({ failures, lastFailure: finishTime(last), seen: new Set() }, now);
}
