import type { batchv1, corev1 } from '@kubewright/kube';
import { matchesLabels } from '@kubewright/kube/selectors';
import type { EventNote } from '@kubewright/runtime';
import { type ClaimAction, decideClaims } from '../../workloads/claim.ts';
import { workloadSelector } from '../../workloads/by-controller.ts';
import type { Observed } from '../observe.ts';
import { account } from './account.ts';
import { assess, type Assessment, untilDeadline } from './assess.ts';
import { type FailureRecord, noteFailures } from './back-off.ts';
import { managePods, type PodsStep } from './manage-pods.ts';
import { nextStatus } from './next-status.ts';

export type JobStep =
  | { readonly type: 'claim'; readonly claims: readonly ClaimAction<corev1.Pod>[] }
  | PodsStep
  | { readonly type: 'status'; readonly status: batchv1.JobStatus; readonly events: readonly EventNote[] }
  | { readonly type: 'let-go'; readonly pods: readonly corev1.Pod[] };

export type JobDecision = {
  /** What is to be done next; then all is observed and decided again. Undefined when nothing is. */
  readonly step?: JobStep;
  /** What is to be remembered of the Job's failures. */
  readonly failures: FailureRecord;
  /** Milliseconds. */
  readonly requeueAfter?: number;
};

export type Circumstances = {
  readonly failures: FailureRecord;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Steps that were taken in this round, and are not taken twice whatever came of them. */
  readonly tried: ReadonlySet<JobStep['type']>;
};

/**
 * The next step of one Job. Each rests on what the steps before it left in the cluster, so that a crash between any two
 * of them only means to go on from there:
 *
 * 1. its pods are claimed; 2. that and how it ends is recorded, before any pod is stopped for it; 3. pods are made or
 * deleted; 4. the status names pods that are over; 5. these are let go; 6. the status counts them (4 again).
 */
export function decide(observed: Observed, { failures: before, now, tried }: Circumstances): JobDecision {
  const { job, candidates } = observed;
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
  const step = (mayManage ? podsStep : undefined) ?? statusStep(assessment, { now, tried });
  if (step !== undefined) return { step, failures };
  const due = Math.min(wait ?? NEVER, untilDeadline(assessment, now));
  return { failures, ...(due === NEVER ? {} : { requeueAfter: due }) };
}

const NEVER = Number.POSITIVE_INFINITY;

function isCertain({ ending }: Assessment): boolean {
  return ending === undefined || ending.recorded === true;
}

function statusStep(
  assessment: Assessment,
  { now, tried }: Pick<Circumstances, 'now' | 'tried'>,
): JobStep | undefined {
  const counted = account(assessment);
  const next = nextStatus(assessment, counted, now);
  if (next !== undefined) return { type: 'status', ...next };
  const goes = counted.letGo.length > 0 && !tried.has('let-go');
  return goes ? { type: 'let-go', pods: counted.letGo } : undefined;
}
