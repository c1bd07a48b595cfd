import { parseRfc3339, type Instant } from './parse-rfc3339.ts';

/** The last second that was formatted: what happens at once is written with one time. */
let latest = { second: Number.NaN, text: '' };

/** RFC 3339 in UTC with whole seconds: `metav1.Time` on the wire. */
export function formatTime(date: Date): string {
  const second = Math.floor(date.getTime() / 1000);
  if (second !== latest.second) latest = { second, text: `${date.toISOString().slice(0, -5)}Z` };
  return latest.text;
}

/** RFC 3339 in UTC with six digits: `metav1.MicroTime` on the wire. */
export function formatMicroTime(date: Date): string {
  return `${date.toISOString().slice(0, -1)}000Z`;
}

/**
 * What an API server keeps of a `metav1.Time`: UTC, whole seconds (cut, not rounded); Go's zero time becomes null.
 * Throws {@link KubeError} `InvalidTime`, worded as Go's `time.Parse` words it.
 */
export function canonicalTime(text: string): string | null {
  if (CANONICAL.test(text)) return text;
  const instant = parseRfc3339(text, 'seconds');
  return isZero(instant) ? null : `${secondsOf(instant)}Z`;
}

/** What an API server keeps of a `metav1.MicroTime`, which must have exactly six digits. */
export function canonicalMicroTime(text: string): string | null {
  const instant = parseRfc3339(text, 'micro');
  if (isZero(instant)) return null;
  return `${secondsOf(instant)}.${String(Math.floor(instant.nanoseconds / 1000)).padStart(6, '0')}Z`;
}

/** The moment an RFC 3339 time stands for, to the millisecond. Throws {@link KubeError} `InvalidTime`. */
export function parseTime(text: string): Date {
  // As servers write it: the parser, which follows Go's in every detail, takes ten times as long.
  if (CANONICAL.test(text)) return new Date(text);
  const { seconds, nanoseconds } = parseRfc3339(text, 'seconds');
  return new Date(seconds * 1000 + Math.floor(nanoseconds / 1_000_000));
}

/** Times that are as they are kept; days that not every month has, and the first years, are left to the parser. */
const CANONICAL = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

const ZERO_SECONDS = -62_135_596_800;

function isZero({ seconds, nanoseconds }: Instant): boolean {
  return seconds === ZERO_SECONDS && nanoseconds === 0;
}

function secondsOf({ seconds }: Instant): string {
  const iso = new Date(seconds * 1000).toISOString().slice(0, -5);
  // Beyond year 9999 (reached by a zone offset only) Go writes as many digits as it takes.
  return iso.replace(/^\+0*/, '');
}
