import { KubeError } from '../kube-error.ts';
import { quoteGo } from './quote-go.ts';

/** A point in time: whole seconds since 1970 and nanoseconds after that. */
export type Instant = { readonly seconds: number; readonly nanoseconds: number };

const LAYOUTS = { seconds: '2006-01-02T15:04:05Z07:00', micro: '2006-01-02T15:04:05.000000Z07:00' } as const;

/** The parts of the layout in order, each with what Go accepts there (a one-digit hour included). */
const PARTS: readonly (readonly [element: string, pattern: RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/],
  ['-', /^-/],
  ['02', /^\d{2}/],
  ['T', /^T/],
  ['15', /^\d{1,2}/],
  [':', /^:/],
  ['04', /^\d{2}/],
  [':', /^:/],
  ['05', /^\d{2}/],
];
const FRACTION = { seconds: /^(?:[.,]\d+)?/, micro: /^[.,]\d{6}(?!\d)/ } as const;
const ZONE = /^(?:Z|[+-]\d{2}:\d{2})/;

/** Parses as Go's `time.Parse` does with the layout of `metav1.Time` resp. `metav1.MicroTime`. */
export function parseRfc3339(text: string, precision: 'seconds' | 'micro'): Instant {
  const layout = LAYOUTS[precision];
  let rest = text;
  const take = (element: string, pattern: RegExp): string => {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) throw mismatch(text, layout, rest, element);
    rest = rest.slice(found.length);
    return found;
  };
  const [year, , month, , day, , hour, , minute, , second] = PARTS.map(([element, pattern]) =>
    take(element, pattern),
  ).map(Number);
  const clock = { year, month, day, hour, minute, second };
  const fraction = take('.000000', FRACTION[precision]).slice(1);
  const zone = take('Z07:00', ZONE);
  if (rest !== '')
    throw new KubeError('InvalidTime', `parsing time ${quoteGo(text)}: extra text: ${quoteGo(rest)}`);
  checkRanges(text, clock);
  const date = new Date(0);
  date.setUTCFullYear(year ?? 0, (month ?? 1) - 1, day);
  date.setUTCHours(hour ?? 0, minute, second, 0);
  const offset = zone === 'Z' ? 0 : zoneOffset(zone, text);
  return {
    seconds: date.getTime() / 1000 - offset,
    nanoseconds: Number(fraction.slice(0, 9).padEnd(9, '0')),
  };
}

function mismatch(text: string, layout: string, rest: string, element: string): KubeError {
  return new KubeError(
    'InvalidTime',
    `parsing time ${quoteGo(text)} as ${quoteGo(layout)}: cannot parse ${quoteGo(rest)} as ${quoteGo(element)}`,
  );
}

type Clock = Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number | undefined>>;

function checkRanges(
  text: string,
  { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 }: Clock,
): void {
  const daysInMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  const checks: [boolean, string][] = [
    [month >= 1 && month <= 12, 'month'],
    [hour < 24, 'hour'],
    [minute < 60, 'minute'],
    [second < 60, 'second'],
    [day >= 1 && day <= daysInMonth, 'day'],
  ];
  const wrong = checks.find(([fine]) => !fine);
  if (wrong) throw outOfRange(text, wrong[1]);
}

function zoneOffset(zone: string, text: string): number {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 24) throw outOfRange(text, 'time zone offset hour');
  if (minutes > 60) throw outOfRange(text, 'time zone offset minute');
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

function outOfRange(text: string, what: string): KubeError {
  return new KubeError('InvalidTime', `parsing time ${quoteGo(text)}: ${what} out of range`);
}
