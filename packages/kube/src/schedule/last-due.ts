import type { CronSchedule } from './cron-schedule.ts';
import { nextDue } from './next-due.ts';

/** When something had to begin, in milliseconds since the epoch. */
export type DueTime = {
  /** The last moment that has come. Undefined if there is none. */
  readonly time?: number;
  /** So many have come that the clocks are in doubt. */
  readonly tooMany?: true;
};

/** From here on, missed starts are worth a warning. */
const MANY = 100;

/**
 * The last moment after `earliest` that has come; `undefined` for a schedule without moments (30 February). How many have
 * come is estimated from the distance of the first two, as kube-controller-manager does.
 */
export function lastDue(schedule: CronSchedule, earliest: number, now: number): DueTime | undefined {
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
