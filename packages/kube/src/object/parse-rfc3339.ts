import { KubeError } from '../kube-error.ts';

/** A point in time: whole seconds since 1970 and nanoseconds after that. */
export type Instant = { readonly seconds: number; readonly nanoseconds: number };

const LAYOUTS = { seconds: '2006-01-02T15:04:05Z07:00', micro: '2006-01-02T15:04:05.000000Z07:00' } as const;

type Part = {
  readonly element: string;
  readonly pattern: RegExp;
  /** Named and checked at once, as Go does; a day is checked last, when its month is known. */
  readonly range?: readonly [name: string, low: number, high: number];
};

/** The parts of the layout in order, each with what Go accepts there (a one-digit hour included). */
const PARTS: readonly Part[] = [
  { element: '2006', pattern: /^\d{4}/ },
  { element: '-', pattern: /^-/ },
  { element: '01', pattern: /^\d{2}/, range: ['month', 1, 12] },
  { element: '-', pattern: /^-/ },
  { element: '02', pattern: /^\d{2}/ },
  { element: 'T', pattern: /^T/ },
  { element: '15', pattern: /^\d{1,2}/, range: ['hour', 0, 23] },
  { element: ':', pattern: /^:/ },
  { element: '04', pattern: /^\d{2}/, range: ['minute', 0, 59] },
  { element: ':', pattern: /^:/ },
  { element: '05', pattern: /^\d{2}/, range: ['second', 0, 59] },
];
const FRACTION = { seconds: /^(?:[.,]\d+)?/, micro: /^[.,]\d{6}/ } as const;
const ZONE = /^(?:Z|[+-]\d{2}:\d{2})/;

/** Parses as Go's `time.Parse` does with the layout of `metav1.Time` resp. `metav1.MicroTime`. */
export function parseRfc3339(text: string, precision: 'seconds' | 'micro'): Instant {
  let rest = text;
  const take = ({ element, pattern, range }: Part): string => {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) throw mismatch(text, LAYOUTS[precision], rest, element);
    rest = rest.slice(found.length);
    if (range && (Number(found) < range[1] || Number(found) > range[2])) throw outOfRange(text, range[0]);
    return found;
  };
  const [year = 0, , month = 0, , day = 0, , hour = 0, , minute = 0, , second = 0] =
    PARTS.map(take).map(Number);
  const fraction = take({ element: '.000000', pattern: FRACTION[precision] }).slice(1);
  const offset = zoneOffset(take({ element: 'Z07:00', pattern: ZONE }), text);
  if (rest !== '') throw refused(`parsing time ${quoteTime(text)}: extra text: ${quoteTime(rest)}`);
  if (day < 1 || day > daysIn(month, year)) throw outOfRange(text, 'day');
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, 0);
  return {
    seconds: date.getTime() / 1000 - offset,
    nanoseconds: Number(fraction.slice(0, 9).padEnd(9, '0')),
  };
}

function daysIn(month: number, year: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

function zoneOffset(zone: string, text: string): number {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 24) throw outOfRange(text, 'time zone offset hour');
  if (minutes > 60) throw outOfRange(text, 'time zone offset minute');
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

function mismatch(text: string, layout: string, rest: string, element: string): KubeError {
  return refused(
    `parsing time ${quoteTime(text)} as ${quoteTime(layout)}: cannot parse ${quoteTime(rest)} as ${quoteTime(element)}`,
  );
}

function outOfRange(text: string, what: string): KubeError {
  return refused(`parsing time ${quoteTime(text)}: ${what} out of range`);
}

function refused(message: string): KubeError {
  return new KubeError('InvalidTime', message);
}

/** Go's package `time` quotes in its own way: bytes that are not printable ASCII as `\xNN`. */
function quoteTime(text: string): string {
  const escaped = text.replace(/[^\u0020-\u007f]|["\\]/gu, (char) => {
    if (char === '"' || char === '\\') return `\\${char}`;
    return Array.from(
      new TextEncoder().encode(char),
      (byte) => `\\x${byte.toString(16).padStart(2, '0')}`,
    ).join('');
  });
  return `"${escaped}"`;
}
