import { type batchv1, formatTime, type KubeError, parseTime, type Stored } from '@kubewright/kube';
import { type CronSchedule, isTimeZone, parseCronSchedule } from '@kubewright/kube/schedule';
import type { EventNote } from '@kubewright/runtime';
import type { Observed } from '../observe.ts';
import { type Active, activeJobs, runningJobs } from './active-jobs.ts';
import { dueTime, untilNext } from './due-time.ts';
import { missedAt, note } from './note.ts';
import { jobName, newJob } from './new-job.ts';
import { oldJobs } from './old-jobs.ts';

type Job = Stored<batchv1.Job>;

export type CronJobDecision = {
  /** Jobs that the history no longer keeps. */
  readonly old: readonly Job[];
  /** Jobs that have to go before the next may begin. */
  readonly replaced: readonly Job[];
  readonly create?: batchv1.Job;
  /** The Job of the moment that is due, made earlier and not noted yet. */
  readonly created?: Job;
  /** The moment that `create` and `created` are for, in milliseconds. */
  readonly scheduled?: number;
  readonly active: Active;
  readonly events: readonly EventNote[];
  /** Milliseconds; after all that is to be done now. */
  readonly requeueAfter?: number;
};

type Start = Pick<CronJobDecision, 'create' | 'created' | 'scheduled' | 'requeueAfter'> & {
  readonly replaces?: true;
  readonly events?: readonly EventNote[];
};

/** What a CronJob has to do now. `now` is in milliseconds since the epoch. */
export function decide(observed: Observed, now: number): CronJobDecision {
  const { cronJob, jobs } = observed;
  const old = oldJobs(cronJob, jobs);
  const { replaces, events = [], ...start } = decideStart(observed, now);
  const active = activeJobs(observed, { removed: old, due: start.created });
  return {
    old,
    replaced: replaces === true && start.create !== undefined ? runningJobs(observed) : [],
    ...start,
    active,
    events: [...active.events, ...events],
  };
}

function decideStart(observed: Observed, now: number): Start {
  const { cronJob } = observed;
  const { schedule: text, timeZone, suspend } = cronJob.spec;
  if (cronJob.metadata.deletionTimestamp !== undefined) return {};
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const message = `invalid timeZone: "${timeZone}": unknown time zone ${timeZone}`;
    return { events: [note('Warning', 'UnknownTimeZone', message)] };
  }
  if (suspend === true) return {};
  const events = text.includes('TZ') ? [unsupported(text)] : [];
  const schedule = scheduleOf(cronJob);
  if ('problem' in schedule) {
    const message = `unparseable schedule: "${text}" : ${schedule.problem}`;
    return { events: [...events, note('Warning', 'UnparseableSchedule', message)] };
  }
  const start = startDue(observed, schedule, now);
  return { ...start, events: [...events, ...(start.events ?? [])] };
}

/** What is due, unless it is too late, or done already. */
function startDue(observed: Observed, schedule: CronSchedule, now: number): Start {
  const { cronJob } = observed;
  const { schedule: text, startingDeadlineSeconds = Number.POSITIVE_INFINITY } = cronJob.spec;
  const due = dueTime(cronJob, schedule, now);
  if (due === undefined) {
    const why = 'time difference between two schedules is less than 1 second';
    return { events: [note('Warning', 'InvalidSchedule', `invalid schedule: ${text} : ${why}`)] };
  }
  const wait = { requeueAfter: untilNext(cronJob, schedule, now) };
  const { time: scheduled, tooMany } = due;
  if (scheduled === undefined) return wait;
  const events = tooMany === true ? [TOO_MANY] : [];
  const isTooLate = scheduled + startingDeadlineSeconds * 1000 < now;
  if (isTooLate) return { ...wait, events: [...events, missedAt(scheduled)] };
  if (isNoted(cronJob, scheduled)) return { ...wait, events };
  const used = { ...cronJob.status, lastScheduleTime: formatTime(new Date(scheduled)) };
  const next = untilNext({ ...cronJob, status: used }, schedule, now);
  const start = startAt(observed, scheduled);
  return {
    ...(start === undefined ? wait : { ...start, requeueAfter: next }),
    events: start === undefined ? [...events, STILL_ACTIVE] : events,
  };
}

/** The Job of a moment, unless it is in the way of what still runs. */
function startAt(observed: Observed, scheduled: number): Start | undefined {
  const { cronJob, jobs } = observed;
  const name = jobName(cronJob, scheduled);
  const created = jobs.find(({ metadata }) => metadata.name === name);
  if (created !== undefined) return { scheduled, created };
  const { concurrencyPolicy } = cronJob.spec;
  const isNoted = activeJobs(observed, { removed: [] }).references.length > 0;
  const isBusy = isNoted || runningJobs(observed).length > 0;
  if (isBusy && concurrencyPolicy === 'Forbid') return undefined;
  const create = newJob(cronJob, scheduled);
  return { scheduled, create, ...(concurrencyPolicy === 'Replace' ? { replaces: true } : {}) };
}

/** Whether the status says that this moment was used. */
function isNoted(cronJob: Stored<batchv1.CronJob>, scheduled: number): boolean {
  const { active = [], lastScheduleTime } = cronJob.status ?? {};
  const name = jobName(cronJob, scheduled);
  if (active.some((reference) => reference.name === name)) return true;
  return lastScheduleTime !== undefined && parseTime(lastScheduleTime).getTime() === scheduled;
}

/** The schedule in its zone, or what is wrong with it. */
export function scheduleOf({ spec }: Stored<batchv1.CronJob>): CronSchedule | { readonly problem: string } {
  try {
    return parseCronSchedule(spec.schedule, spec.timeZone);
  } catch (error) {
    return { problem: (error as KubeError).message };
  }
}

function unsupported(schedule: string): EventNote {
  const where = 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/';
  const what = `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported`;
  return note('Warning', 'UnsupportedSchedule', `${what}, see ${where} for more details`);
}

const TOO_MANY: EventNote = note(
  'Warning',
  'TooManyMissedTimes',
  'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
);
const STILL_ACTIVE: EventNote = note(
  'Normal',
  'JobAlreadyActive',
  'Not starting job because prior execution is running and concurrency policy is Forbid',
);
