import { type batchv1, type corev1, defined, parseTime, type Stored } from '@kubewright/kube';
import { isActive } from '../../workloads/pod-state.ts';
import { type Ending, recordedEnding } from './ending.ts';
import { judgeFailure } from './judge-failure.ts';
import { finishTime } from './finish-time.ts';
import {
  countIndexes,
  hasIndex,
  type IndexSet,
  NO_INDEXES,
  parseIndexes,
  unionIndexes,
} from './index-set.ts';
import {
  completionIndex,
  ignoredIndexFailures,
  indexesOf,
  indexFailures,
  isFailed,
  isIndexed,
  isSucceeded,
  isSuspended,
  isTracked,
  isValid,
} from './job-pods.ts';
import { recorded, uidOf } from './recorded.ts';
import { metSuccessRule } from './met-success-rule.ts';

type Pod = Stored<corev1.Pod>;

/** A Job and its pods, and what they come to. */
export type Assessment = {
  readonly job: Stored<batchv1.Job>;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  /** Pods, or indexes, that have succeeded; counted in the status or not yet. */
  readonly succeeded: number;
  /** Of an indexed Job. */
  readonly succeededIndexes: IndexSet;
  /** Of a Job with a limit per index. */
  readonly failedIndexes?: IndexSet;
  /** The pod that failed last, of indexes without another: their successors will know how often it failed. */
  readonly awaitingSuccessor: ReadonlyMap<number, Pod>;
  /** Milliseconds since the epoch. Undefined for one that has not begun. */
  readonly startTime?: number;
  /** How the Job ends, once that is certain. */
  readonly ending?: Ending;
};

type Counts = Omit<Assessment, 'ending'> & { readonly failed: number };

/** Judges a Job by its status and its pods; a verdict that the status records already stands. */
export function assess(job: Stored<batchv1.Job>, pods: readonly Pod[], now: number): Assessment {
  const counts = count(job, pods, now);
  const ending = recordedEnding(job) ?? failure(counts, now) ?? success(counts);
  return { ...counts, ...defined({ ending }) };
}

function count(job: Stored<batchv1.Job>, pods: readonly Pod[], now: number): Counts {
  const { succeeded, failed, uncounted } = recorded(job);
  const isNew = (pod: Pod, known: readonly string[]): boolean =>
    isTracked(pod) && isValid(pod, job) && !known.includes(uidOf(pod));
  const newSucceeded = pods.filter((pod) => isSucceeded(pod) && isNew(pod, uncounted.succeeded));
  const newFailed = pods.filter(
    (pod) => isFailed(pod, job) && isNew(pod, uncounted.failed) && judgeFailure(job, pod).counts,
  );
  const indexes = countByIndex(job, pods);
  return {
    job,
    pods,
    active: pods.filter(isActive),
    succeeded: isIndexed(job)
      ? countIndexes(indexes.succeededIndexes)
      : succeeded + newSucceeded.length + uncounted.succeeded.length,
    failed: failed + newFailed.length + uncounted.failed.length,
    ...indexes,
    ...begun(job, now),
  };
}

/** A Job begins when it is first seen, or goes on. */
function begun(job: Stored<batchv1.Job>, now: number): Pick<Assessment, 'startTime'> {
  const { startTime } = job.status ?? {};
  if (startTime !== undefined) return { startTime: parseTime(startTime).getTime() };
  return isSuspended(job) ? {} : { startTime: now };
}

function countByIndex(
  job: Stored<batchv1.Job>,
  pods: readonly Pod[],
): Pick<Assessment, 'succeededIndexes' | 'failedIndexes' | 'awaitingSuccessor'> {
  if (!isIndexed(job)) return { succeededIndexes: NO_INDEXES, awaitingSuccessor: new Map() };
  const { completions = 0, backoffLimitPerIndex: limit } = job.spec;
  const { completedIndexes, failedIndexes: failedBefore } = recorded(job);
  const ours = pods.filter((pod) => isTracked(pod) && isValid(pod, job));
  const succeededNow = indexesOf(ours.filter(isSucceeded));
  const succeededIndexes = unionIndexes(parseIndexes(completedIndexes, completions), succeededNow);
  if (limit === undefined) return { succeededIndexes, awaitingSuccessor: new Map() };
  const failedNow = indexesOf(ours.filter((pod) => failsIndex(job, pod, limit)));
  const failedIndexes = unionIndexes(parseIndexes(failedBefore, completions), failedNow);
  const settled = unionIndexes(succeededIndexes, failedIndexes, indexesOf(pods.filter(isActive)));
  const waiting = ours.filter((pod) => isFailed(pod, job) && !hasIndex(settled, completionIndex(pod) ?? -1));
  return { succeededIndexes, failedIndexes, awaitingSuccessor: lastOfEach(waiting) };
}

function failsIndex(job: Stored<batchv1.Job>, pod: Pod, limit: number): boolean {
  // What is stopped because the Job ends says nothing of its index.
  const over = recordedEnding(job) === undefined ? isFailed(pod, job) : pod.status?.phase === 'Failed';
  if (!over) return false;
  const { counts, failsIndex: fails = false } = judgeFailure(job, pod);
  return fails || (counts && indexFailures(pod) >= limit);
}

function lastOfEach(failed: readonly Pod[]): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  const failures = (pod: Pod): number => indexFailures(pod) + ignoredIndexFailures(pod);
  for (const pod of failed) {
    const index = completionIndex(pod) ?? -1;
    const before = last.get(index);
    const later =
      before === undefined || (failures(before) <= failures(pod) && finishTime(pod) >= finishTime(before));
    if (later) last.set(index, pod);
  }
  return last;
}

function failure(counts: Counts, now: number): Ending | undefined {
  const { job, pods, failed } = counts;
  const fails = (reason: string, message: string): Ending => ({ type: 'FailureTarget', reason, message });
  const verdicts = pods.filter((pod) => isFailed(pod, job)).map((pod) => judgeFailure(job, pod).failsJob);
  const verdict = verdicts.find((text) => text !== undefined);
  if (verdict !== undefined) return fails('PodFailurePolicy', verdict);
  if (failed > (job.spec.backoffLimit ?? 6) || restartsExceedLimit(counts))
    return fails('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if (untilDeadline(counts, now) <= 0)
    return fails('DeadlineExceeded', 'Job was active longer than specified deadline');
  return indexFailure(counts, fails);
}

/** Milliseconds; infinite for a Job without a deadline, while it is suspended, and when its end is certain. */
export function untilDeadline(
  { job, startTime, ending }: Pick<Assessment, 'job' | 'startTime' | 'ending'>,
  now: number,
): number {
  const { activeDeadlineSeconds } = job.spec;
  const counts = ending === undefined && !isSuspended(job);
  if (activeDeadlineSeconds === undefined || startTime === undefined || !counts)
    return Number.POSITIVE_INFINITY;
  return startTime + activeDeadlineSeconds * 1000 - now;
}

/** Of pods whose containers are started again where they are, restarts are the failures. */
function restartsExceedLimit({ job, pods }: Counts): boolean {
  if (job.spec.template.spec?.restartPolicy !== 'OnFailure') return false;
  const running = pods.filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending');
  const restarts = running
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  const limit = job.spec.backoffLimit ?? 6;
  return restarts >= Math.max(limit, 1);
}

function indexFailure(
  { job, failedIndexes = NO_INDEXES, succeededIndexes }: Counts,
  fails: (reason: string, message: string) => Ending,
): Ending | undefined {
  const { maxFailedIndexes = Number.POSITIVE_INFINITY, completions = 0 } = job.spec;
  const failed = countIndexes(failedIndexes);
  if (failed > maxFailedIndexes)
    return fails(
      'MaxFailedIndexesExceeded',
      'Job has exceeded the specified maximal number of failed indexes',
    );
  if (failed > 0 && failed + countIndexes(succeededIndexes) >= completions)
    return fails('FailedIndexes', 'Job has failed indexes');
  return undefined;
}

function success({ job, active, succeeded, succeededIndexes }: Counts): Ending | undefined {
  const rule = isIndexed(job) ? metSuccessRule(job, succeededIndexes) : undefined;
  if (rule !== undefined) return { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message: rule };
  // Without a number of completions one success is enough; the others are let run to their end.
  const wanted = job.spec.completions ?? 1;
  if (active.length > 0 || succeeded < wanted) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message };
}
