import type { Environment } from '@marcbachmann/cel-js';
import type { Duration } from '@marcbachmann/cel-js/evaluator';
import { isTimeZone, zoneOffset } from '../../schedule/zone-offset.ts';
import { failed } from '../failed.ts';

const TIMESTAMP = 'google.protobuf.Timestamp';
const DAY = 86_400_000;

/** The parts of a time, in UTC. */
const PARTS: Readonly<Record<string, (time: Date) => number>> = {
  getFullYear: (time) => time.getUTCFullYear(),
  getMonth: (time) => time.getUTCMonth(),
  getDate: (time) => time.getUTCDate(),
  getDayOfMonth: (time) => time.getUTCDate() - 1,
  getDayOfWeek: (time) => time.getUTCDay(),
  getDayOfYear: (time) => Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0)) / DAY),
  getHours: (time) => time.getUTCHours(),
  getMinutes: (time) => time.getUTCMinutes(),
  getSeconds: (time) => time.getUTCSeconds(),
  getMilliseconds: (time) => time.getUTCMilliseconds(),
};

/** The whole of a duration, in that unit. */
const UNITS: Readonly<Record<string, (duration: Duration) => bigint>> = {
  getHours: ({ seconds }) => seconds / 3600n,
  getMinutes: ({ seconds }) => seconds / 60n,
  getSeconds: ({ seconds }) => seconds,
  getMilliseconds: ({ seconds, nanos }) => seconds * 1000n + BigInt(Math.trunc(nanos / 1e6)),
};

/**
 * The functions of the library that read times, with the names of ours: they take zones as cel-go does, `+05:30` among
 * them, and no day of the year depends on the zone of the process.
 */
export const TIME_FUNCTIONS: readonly (readonly [string, string])[] = Object.keys(PARTS).map((name) => [
  name,
  `${name}In`,
]);

export function registerTimes(environment: Environment): void {
  for (const [name, read] of Object.entries(PARTS)) {
    environment
      .registerFunction(`${TIMESTAMP}.${name}In(): int`, (time: Date) => BigInt(read(time)))
      .registerFunction(`${TIMESTAMP}.${name}In(string): int`, (time: Date, zone: string) =>
        BigInt(read(new Date(time.getTime() + offsetOf(zone, time)))),
      );
  }
  for (const [name, read] of Object.entries(UNITS))
    environment.registerFunction(`google.protobuf.Duration.${name}In(): int`, read);
}

/** A zone of the IANA data base, or an offset as `-02:00`; in milliseconds. */
function offsetOf(zone: string, time: Date): number {
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  if (!isTimeZone(zone)) throw failed(`unknown time zone ${zone}`);
  return zoneOffset(zone, time.getTime());
}
