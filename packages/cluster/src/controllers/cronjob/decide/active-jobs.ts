import { type batchv1, type corev1, defined, type Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { Observed } from '../observe.ts';
import { isScheduled } from './new-job.ts';
import { note } from './note.ts';
import { endOf } from './old-jobs.ts';

type Job = Stored<batchv1.Job>;
type Reference = corev1.ObjectReference;

export type Active = {
  /** `status.active` as it should be, without what is begun now. */
  readonly references: readonly Reference[];
  readonly lastSuccessfulTime?: string;
  readonly events: readonly EventNote[];
};

type Now = {
  /** Jobs that are being removed from the history, about which no more events are emitted. */
  readonly removed: readonly Job[];
  /** A Job that is about to be noted. */
  readonly due?: Job | undefined;
};

/**
 * What still runs: the Jobs that are noted, and those that we made and then died before noting them. Jobs that people
 * made of it by hand are their own matter.
 */
export function runningJobs({ cronJob, jobs }: Pick<Observed, 'cronJob' | 'jobs'>): readonly Job[] {
  const noted = new Set((cronJob.status?.active ?? []).map(({ uid }) => uid));
  return jobs.filter((job) => endOf(job) === undefined && (noted.has(uidOf(job)) || isScheduled(job)));
}

/** Removes from `status.active` what is over or gone, with the events for that and for Jobs that were not recorded. */
export function activeJobs(observed: Observed, now: Now): Active {
  const { cronJob, jobs, gone } = observed;
  const { active = [], lastSuccessfulTime } = cronJob.status ?? {};
  const ended = new Set(jobs.filter((job) => endOf(job) !== undefined).map(uidOf));
  const last = latestSuccess(jobs, lastSuccessfulTime);
  return {
    references: active.filter(({ uid = '' }) => !gone.has(uid) && !ended.has(uid)),
    ...defined({ lastSuccessfulTime: last }),
    events: [
      ...active.flatMap((reference) => leaving(reference, observed, now)),
      ...unexpected(observed, now),
    ],
  };
}

function leaving(
  { uid = '', name = '' }: Reference,
  { jobs, gone }: Observed,
  { removed }: Now,
): readonly EventNote[] {
  if (gone.has(uid)) return [note('Normal', 'MissingJob', `Active job went missing: ${name}`)];
  const job = jobs.find((one) => uidOf(one) === uid && !removed.includes(one));
  const end = job === undefined ? undefined : endOf(job);
  if (end === undefined) return [];
  return [note('Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${end}`)];
}

function unexpected({ cronJob, jobs }: Observed, { due }: Now): readonly EventNote[] {
  const noted = new Set((cronJob.status?.active ?? []).map(({ uid }) => uid));
  return jobs
    .filter((job) => endOf(job) === undefined && job !== due && !noted.has(uidOf(job)))
    .map(({ metadata }) => {
      const message = `Saw a job that the controller did not create or forgot: ${metadata.name}`;
      return note('Warning', 'UnexpectedJob', message);
    });
}

function uidOf({ metadata }: Job): string {
  return metadata.uid;
}

/** Times of this form sort as texts. */
function latestSuccess(jobs: readonly Job[], before: string | undefined): string | undefined {
  const times = jobs
    .filter((job) => endOf(job) === 'Complete')
    .map(({ status }) => status?.completionTime)
    .concat(before)
    .filter((time) => time !== undefined)
    .sort();
  return times.at(-1);
}
