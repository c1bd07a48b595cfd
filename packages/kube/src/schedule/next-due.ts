import type { CronSchedule } from './cron-schedule.ts';
import { zoneOffset } from './zone-offset.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A schedule that has no moment in so many years after this one has none: 30 February. */
const YEARS = 5;

type At = Extract<CronSchedule, { readonly type: 'at' }>;

/**
 * The first moment after `time` at which a schedule is due, in milliseconds since the epoch; undefined if there is none.
 * Wall clock times that a zone leaves out in spring are never, those that it has twice in autumn twice.
 */
export function nextDue(schedule: CronSchedule, time: number): number | undefined {
  if (schedule.type === 'every') return Math.floor(time / 1000) * 1000 + schedule.ms;
  const end = Date.UTC(new Date(time).getUTCFullYear() + YEARS + 1, 0);
  let candidate = Math.floor(time / MINUTE) * MINUTE + MINUTE;
  while (candidate < end) {
    const next = advance(schedule, candidate);
    if (next === candidate) return candidate;
    candidate = next;
  }
  return undefined;
}

/** `time` if it fits; otherwise a later time, before which nothing fits. */
function advance(schedule: At, time: number): number {
  const { minutes, hours, zone } = schedule;
  const local = new Date(time + zoneOffset(zone, time));
  if (!fitsDay(schedule, local)) return nextMidnight(zone, time, local);
  const minute = local.getUTCMinutes();
  if (!hours.values.has(local.getUTCHours())) return time + (60 - minute) * MINUTE;
  return minutes.values.has(minute) ? time : time + MINUTE;
}

/** Of the days of the month and the days of the week either will do, where both are named. */
function fitsDay({ months, monthDays, days }: At, local: Date): boolean {
  if (!months.values.has(local.getUTCMonth() + 1)) return false;
  const ofMonth = monthDays.values.has(local.getUTCDate());
  const ofWeek = days.values.has(local.getUTCDay());
  return monthDays.open || days.open ? ofMonth && ofWeek : ofMonth || ofWeek;
}

/** With a change of the clock in between, 24 hours later is too early (then it is computed again) or too late. */
function nextMidnight(zone: string, time: number, local: Date): number {
  const sinceMidnight = local.getUTCHours() * HOUR + local.getUTCMinutes() * MINUTE;
  const next = time + DAY - sinceMidnight;
  const late = timeOfDay(zone, next);
  return late < DAY / 2 && timeOfDay(zone, next - late) === 0 ? next - late : next;
}

function timeOfDay(zone: string, time: number): number {
  return (((time + zoneOffset(zone, time)) % DAY) + DAY) % DAY;
}
