import { failed } from '../failed.ts';

/** What a Date does not hold: nanoseconds below its milliseconds, and the offset that the text named, in minutes. */
export type TimeDetails = { readonly nanoseconds: number; readonly offset: number };

const details = new WeakMap<Date, TimeDetails>();

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

const INVALID = "type conversion error from 'string' to 'google.protobuf.Timestamp'";

/** `timestamp(string)`: an RFC 3339 time of the years 1 to 9999. The library's own values of this type are Dates. */
export function parseTimestamp(text: string): Date {
  const match = RFC_3339.exec(text);
  const local = match && wallClock(match);
  if (!local) throw failed(INVALID);
  const [fraction = '', sign, hours, minutes] = match.slice(7);
  const offset = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  const nanoseconds = Number(fraction.slice(0, 9).padEnd(9, '0'));
  const time = inYears(new Date(local.getTime() - offset * 60_000 + Math.floor(nanoseconds / 1e6)));
  if (offset !== 0 || nanoseconds % 1e6 !== 0) details.set(time, { offset, nanoseconds: nanoseconds % 1e6 });
  return time;
}

/** The time of the clock as if it were UTC, if there is one: no 30 February. */
function wallClock(match: RegExpExecArray): Date | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second);
  return local.toISOString().slice(-24, -5) === match[0].slice(0, 19) ? local : undefined;
}

/** The first second of the year 1. */
const FIRST = -62_135_596_800_000;
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time that can be written with four digits for the year; others overflow. */
export function inYears(time: Date): Date {
  if (time.getTime() < FIRST || time.getTime() > LAST) throw failed('timestamp overflow');
  return time;
}

export function detailsOf(time: Date): TimeDetails {
  return details.get(time) ?? { nanoseconds: 0, offset: 0 };
}
