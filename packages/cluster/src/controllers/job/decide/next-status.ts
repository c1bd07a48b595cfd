import { type batchv1, defined, formatTime, jsonEqual, type Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { isReady, isTerminating } from '../../workloads/pod-state.ts';
import type { Account } from './account.ts';
import type { Assessment } from './assess.ts';
import type { Ending } from './ending.ts';
import { formatIndexes } from './index-set.ts';
import { isIndexed, isSuspended, isTracked } from './job-pods.ts';
import { recorded } from './recorded.ts';

export type NextStatus = {
  readonly status: batchv1.JobStatus;
  /** The events to emit once the status is written. */
  readonly events: readonly EventNote[];
};

const TOO_MANY: EventNote = {
  type: 'Warning',
  reason: 'TooManySucceededPods',
  message: 'Too many succeeded pods running after completion count reached',
};

type Conditions = readonly batchv1.JobCondition[];
type Change = {
  readonly conditions: Conditions;
  readonly times?: Times;
  readonly events?: readonly EventNote[];
};
/** An undefined one is taken away. */
type Times = { readonly startTime?: string | undefined; readonly completionTime?: string };

/** What the status should say now; undefined where it says so already. */
export function nextStatus(assessment: Assessment, counted: Account, now: number): NextStatus | undefined {
  const { job, pods, active, startTime } = assessment;
  const { conditions, times = {}, events = [] } = nextConditions(assessment, counted, now);
  const status = defined({
    ...job.status,
    ...(startTime === undefined ? {} : { startTime: formatTime(new Date(startTime)) }),
    ...times,
    active: positive(active.length),
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: positive(totalSucceeded(assessment, counted)),
    failed: positive(counted.failed),
    ...indexFields(assessment),
    uncountedTerminatedPods: uncountedField(counted.uncounted),
    ...(conditions.length === 0 ? {} : { conditions }),
  });
  return jsonEqual(status, job.status ?? {}) ? undefined : { status, events };
}

function totalSucceeded({ job, succeeded }: Assessment, counted: Account): number {
  return isIndexed(job) ? succeeded : counted.succeeded;
}

function indexFields({ job, succeededIndexes, failedIndexes }: Assessment): Partial<Fields> {
  if (!isIndexed(job)) return {};
  const completed = formatIndexes(succeededIndexes);
  return {
    completedIndexes: completed === '' ? undefined : completed,
    ...(failedIndexes === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
  };
}

function uncountedField({ succeeded, failed }: Account['uncounted']): batchv1.UncountedTerminatedPods {
  return { ...(succeeded.length === 0 ? {} : { succeeded }), ...(failed.length === 0 ? {} : { failed }) };
}

function nextConditions(assessment: Assessment, counted: Account, now: number): Change {
  const { job, ending } = assessment;
  const { conditions } = recorded(job);
  if (ending === undefined) return suspension(job, now);
  const { type, reason, message } = ending;
  if (ending.recorded === undefined)
    return { conditions: [...conditions, condition({ type, status: 'True', reason, message }, now)] };
  return isOver(assessment, counted) ? finished(assessment, ending, { counted, now }) : { conditions };
}

/** All pods are gone, or over, and counted. */
function isOver({ pods, active }: Assessment, { uncounted }: Account): boolean {
  const rest = [active.length, pods.filter(isTerminating).length, pods.filter(isTracked).length];
  return [...rest, uncounted.succeeded.length, uncounted.failed.length].every((count) => count === 0);
}

function finished(
  assessment: Assessment,
  { type, reason, message }: Ending,
  { counted, now }: { readonly counted: Account; readonly now: number },
): Change {
  const { job } = assessment;
  const complete = type === 'SuccessCriteriaMet';
  const last = condition({ type: complete ? 'Complete' : 'Failed', status: 'True', reason, message }, now);
  const conditions = [...recorded(job).conditions, last];
  if (!complete) return { conditions, events: [{ type: 'Warning', reason, message }] };
  const { completions = Number.POSITIVE_INFINITY } = job.spec;
  const tooMany = totalSucceeded(assessment, counted) > completions ? [TOO_MANY] : [];
  return {
    conditions,
    times: { completionTime: formatTime(new Date(now)) },
    events: [...tooMany, { type: 'Normal', reason: 'Completed', message: 'Job completed' }],
  };
}

const SUSPENDED = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' };
const RESUMED = { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };

/** A Job that was never suspended does not speak of it. A resumed one begins its time anew. */
function suspension(job: Stored<batchv1.Job>, now: number): Change {
  const { conditions } = recorded(job);
  const wanted = isSuspended(job) ? SUSPENDED : RESUMED;
  const before = conditions.find(({ type }) => type === wanted.type);
  const isNews = before === undefined ? wanted === SUSPENDED : before.status !== wanted.status;
  if (!isNews || job.metadata.deletionTimestamp !== undefined) return { conditions };
  const next = condition(wanted, now);
  const reason = wanted === SUSPENDED ? 'Suspended' : 'Resumed';
  return {
    conditions:
      before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one)),
    times: { startTime: wanted === SUSPENDED ? undefined : formatTime(new Date(now)) },
    events: [{ type: 'Normal', reason, message: wanted.message }],
  };
}

function condition(
  condition: Required<Pick<batchv1.JobCondition, 'type' | 'status' | 'reason' | 'message'>>,
  now: number,
): batchv1.JobCondition {
  const time = formatTime(new Date(now));
  return { ...condition, lastProbeTime: time, lastTransitionTime: time };
}

/** Go leaves zeros out. */
function positive(count: number): number | undefined {
  return count > 0 ? count : undefined;
}

type Fields = { readonly [K in keyof batchv1.JobStatus]: batchv1.JobStatus[K] | undefined };
