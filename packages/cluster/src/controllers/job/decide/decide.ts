import { type batchv1, type corev1, jsonEqual, type Stored } from '@kubewright/kube';
import { matchesLabels } from '@kubewright/kube/selectors';
import type { EventNote } from '@kubewright/runtime';
import { type ClaimAction, decideClaims } from '../../workloads/decide-claims.ts';
import { workloadSelector } from '../../workloads/watch-controlled.ts';
import type { Observed } from '../observe.ts';
import { type Account, account } from './account.ts';
import { assess, type Assessment, untilDeadline } from './assess.ts';
import { type FailureRecord, noteFailures } from './remaining-back-off.ts';
import { managePods, type PodsStep } from './manage-pods.ts';
import { hasIndex, parseIndexes } from './index-set.ts';
import { completionIndex, isSucceeded } from './job-pods.ts';
import { nextStatus } from './next-status.ts';
import { recorded, uidOf } from './recorded.ts';

export type JobStep =
  | { readonly type: 'claim'; readonly claims: readonly ClaimAction<corev1.Pod>[] }
  | PodsStep
  | { readonly type: 'status'; readonly status: batchv1.JobStatus; readonly events: readonly EventNote[] }
  | { readonly type: 'release'; readonly pods: readonly Stored<corev1.Pod>[] };

export type JobDecision = {
  /** What is to be done next; then all is observed and decided again. Undefined when nothing is. */
  readonly step?: JobStep;
  /** What is to be remembered of the Job's failures. */
  readonly failures: FailureRecord;
  /** Milliseconds. */
  readonly requeueAfter?: number;
  /** A webhook undid what was written, or released pods still have the finalizer: to be tried again. */
  readonly requeue?: true;
};

export type Circumstances = {
  readonly failures: FailureRecord;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Steps that were taken in this round, and are not taken twice whatever came of them. */
  readonly tried: ReadonlySet<JobStep['type']>;
  /** The status that was written last in this round: not once more, whatever a webhook made of it. */
  readonly written?: batchv1.JobStatus | undefined;
};

/**
 * The next step of one Job. Each rests on what the steps before it left in the cluster, so that a crash between any two
 * of them only means to go on from there:
 *
 * 1. its pods are claimed; 2. that and how it ends is recorded, before any pod is stopped for it; 3. pods are made or
 * deleted; 4. the status names pods that are over; 5. these are released; 6. the status counts them (4 again).
 */
export function decide(observed: Observed, circumstances: Circumstances): JobDecision {
  const { job, candidates } = observed;
  const { failures: before, now, tried } = circumstances;
  const selector = workloadSelector(job);
  const { owned, actions: claims } = decideClaims(job, candidates, (pod) =>
    matchesLabels(selector, pod.metadata.labels),
  );
  const failures = noteFailures(before, job, owned);
  if (claims.length > 0 && !tried.has('claim')) return { step: { type: 'claim', claims }, failures };
  const assessment = assess(job, owned, now);
  const { step: podsStep, wait } = managePods(assessment, failures, now);
  const managed = tried.has('create') || tried.has('delete');
  const mayManage = !managed && isCertain(assessment);
  const step = (mayManage ? podsStep : undefined) ?? statusStep(assessment, circumstances);
  return { failures, ...outcome(step, Math.min(wait ?? NEVER, untilDeadline(assessment, now))) };
}

function outcome(step: JobStep | 'again' | undefined, due: number): Omit<JobDecision, 'failures'> {
  if (step === 'again') return { requeue: true };
  if (step !== undefined) return { step };
  return due === NEVER ? {} : { requeueAfter: due };
}

const NEVER = Number.POSITIVE_INFINITY;

function isCertain({ ending }: Assessment): boolean {
  return ending === undefined || ending.recorded === true;
}

/** `again`: a webhook undid what this round has written. */
function statusStep(
  assessment: Assessment,
  { now, tried, written }: Circumstances,
): JobStep | 'again' | undefined {
  const counted = account(assessment);
  const next = nextStatus(assessment, counted, now);
  const isUndone = next !== undefined && jsonEqual(next.status, written);
  if (next !== undefined && !isUndone) return { type: 'status', ...next };
  const pods = tried.has('release') ? [] : counted.released.filter(isRecorded(assessment, counted));
  if (pods.length > 0) return { type: 'release', pods };
  return isUndone || counted.released.length > 0 ? 'again' : undefined;
}

/** Whether the stored status records a pod: its uid, or the index that it completed. */
function isRecorded(
  { job, succeededIndexes }: Assessment,
  { uncounted }: Account,
): (pod: Stored<corev1.Pod>) => boolean {
  const stored = recorded(job);
  const completed = parseIndexes(stored.completedIndexes, job.spec.completions ?? 0);
  const names = ({ succeeded, failed }: Account['uncounted'], uid: string): boolean =>
    succeeded.includes(uid) || failed.includes(uid);
  return (pod) => {
    if (names(uncounted, uidOf(pod))) return names(stored.uncounted, uidOf(pod));
    const index = isSucceeded(pod) ? completionIndex(pod) : undefined;
    return index === undefined || !hasIndex(succeededIndexes, index) || hasIndex(completed, index);
  };
}
