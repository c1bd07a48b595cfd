import { KubeError, parseTime } from '@kubewright/kube';
import {
  type CronSchedule,
  isTimeZone,
  lastDue,
  nextDue,
  parseCronSchedule,
} from '@kubewright/kube/schedule';
import type { CaptureSchedule } from '../api/capture-schedule.ts';
import { sha256 } from '../requests/names.ts';

/** The schedule in its zone, or what is wrong with it. */
export function clockOf({ spec }: CaptureSchedule): CronSchedule | { readonly problem: string } {
  const { schedule, timeZone } = spec;
  if (timeZone !== undefined && !isTimeZone(timeZone)) return { problem: `unknown time zone ${timeZone}` };
  try {
    return parseCronSchedule(schedule, timeZone);
  } catch (error) {
    if (error instanceof KubeError) return { problem: error.message };
    throw error;
  }
}

/** Milliseconds by which all runs of a schedule are later than the clock says: one schedule has one. */
export function jitterOf({ metadata, spec }: CaptureSchedule): number {
  const share = Number.parseInt(sha256(metadata.uid).slice(0, 8), 16) / 0xff_ff_ff_ff;
  return Math.floor(share * spec.jitterSeconds) * 1000;
}

/** The moment of the last run that has come and was neither begun nor left out; undefined without one. */
export function dueRun(schedule: CaptureSchedule, clock: CronSchedule, now: number): number | undefined {
  return lastDue(clock, handledUntil(schedule), now - jitterOf(schedule))?.time;
}

/** The moment of the first run after `time`, without its jitter. */
export function nextRun(clock: CronSchedule, schedule: CaptureSchedule, now: number): number | undefined {
  return nextDue(clock, Math.max(handledUntil(schedule), now - jitterOf(schedule)));
}

/** Runs up to this moment are begun, or left out. */
function handledUntil({ metadata, status = {} }: CaptureSchedule): number {
  const { creationTimestamp } = metadata;
  const times = [status.lastScheduleTime, status.lastMissedTime, creationTimestamp];
  return Math.max(0, ...times.map((time) => (typeof time === 'string' ? parseTime(time).getTime() : 0)));
}

/** Milliseconds for which a run that should have succeeded after the last one that did has not; 0 without one. */
export function overdueMs(schedule: CaptureSchedule, now: number): number {
  const clock = clockOf(schedule);
  if (schedule.spec.suspend || 'problem' in clock) return 0;
  const since = schedule.status?.lastSuccessTime ?? schedule.metadata.creationTimestamp;
  if (typeof since !== 'string') return 0;
  const due = nextDue(clock, parseTime(since).getTime());
  return due === undefined ? 0 : Math.max(0, now - due - jitterOf(schedule));
}
