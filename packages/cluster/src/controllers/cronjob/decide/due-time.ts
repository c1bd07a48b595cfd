import { type batchv1, parseTime, type Stored } from '@kubewright/kube';
import { type CronSchedule, nextDue } from '@kubewright/kube/schedule';

/** When a CronJob had or has to run, in milliseconds since the epoch. */
export type DueTime = {
  /** The last moment that has come and was not used. Undefined if there is none. */
  readonly time?: number;
  /** So many were missed that the clocks are in doubt. */
  readonly tooMany?: true;
};

/** From here on, missed starts are worth a warning. */
const MANY = 100;
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

function lastDue(schedule: CronSchedule, earliest: number, now: number): DueTime | undefined {
  const first = nextDue(schedule, earliest);
  if (first === undefined) return undefined;
  if (now < first) return {};
  const second = nextDue(schedule, first);
  if (second === undefined || second - first < 1000) return undefined;
  if (now < second) return { time: first };
  const between = second - first;
  const missed = Math.floor((now - first) / between) + 1;
  // One more than estimated is gone back, for schedules of uneven distances, and ever further while none is there: the
  // first lies behind the beginning, so that one is found.
  let last: number | undefined;
  for (let back = 1; last === undefined; back *= 2) {
    const from = Math.max(earliest, first + (missed - 1 - back) * between);
    let time = nextDue(schedule, from);
    for (; time !== undefined && time <= now; time = nextDue(schedule, time)) last = time;
  }
  return { time: last, ...(missed > MANY ? { tooMany: true } : {}) };
}
