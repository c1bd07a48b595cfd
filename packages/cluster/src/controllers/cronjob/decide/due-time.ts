import { type batchv1, parseTime, type Stored } from '@kubewright/kube';
import { type CronSchedule, type DueTime, lastDue, nextDue } from '@kubewright/kube/schedule';

/** Clocks differ a little: so much later than the moment it is looked again. */
const PADDING_MS = 100;

/**
 * What is due now; `undefined` for a schedule without moments (30 February). Of the moments that were missed only the
 * last one counts. How many they are is estimated from the distance of the first two, as kube-controller-manager does.
 */
export function dueTime(
  cronJob: Stored<batchv1.CronJob>,
  schedule: CronSchedule,
  now: number,
): DueTime | undefined {
  const { startingDeadlineSeconds } = cronJob.spec;
  const deadline =
    startingDeadlineSeconds === undefined ? Number.NEGATIVE_INFINITY : now - startingDeadlineSeconds * 1000;
  return lastDue(schedule, Math.max(begin(cronJob), deadline), now);
}

/** Milliseconds until the next moment, for one that has used what was due. */
export function untilNext(cronJob: Stored<batchv1.CronJob>, schedule: CronSchedule, now: number): number {
  const earliest = begin(cronJob);
  const last = lastDue(schedule, earliest, now);
  const first = nextDue(schedule, earliest);
  const nothingYet = first !== undefined && now < first;
  const next = nextDue(schedule, last?.time ?? (last !== undefined && nothingYet ? earliest : now)) ?? now;
  return next + PADDING_MS - now;
}

function begin({ metadata, status }: Stored<batchv1.CronJob>): number {
  const time = status?.lastScheduleTime ?? metadata.creationTimestamp;
  return typeof time === 'string' ? parseTime(time).getTime() : 0;
}
