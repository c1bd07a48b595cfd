import { KubeError } from '../kube-error.ts';
import { quoteGo } from '../object/quote-go.ts';

/** One field of a schedule. */
export type CronField = {
  readonly values: ReadonlySet<number>;
  /** Whether it was left open (`*`): of the two kinds of days only those that were not count. */
  readonly open: boolean;
};

type Bounds = { readonly min: number; readonly max: number; readonly names: readonly string[] };

const MONTH_NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

export const MINUTES: Bounds = { min: 0, max: 59, names: [] };
export const HOURS: Bounds = { min: 0, max: 23, names: [] };
export const MONTH_DAYS: Bounds = { min: 1, max: 31, names: [] };
export const MONTHS: Bounds = { min: 1, max: 12, names: MONTH_NAMES };
export const DAYS: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };

/** Reads a list of ranges: `1-5,10`, `1-59/2`, `*`, `mon`. Throws {@link KubeError} `InvalidSchedule`. */
export function parseCronField(text: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let open = false;
  for (const part of text.split(',').filter((one) => one !== '')) {
    const { first, last, step, any } = parseRange(part, bounds);
    for (let value = first; value <= last; value += step) values.add(value);
    open ||= any && step === 1;
  }
  return { values, open };
}

type Range = {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly any: boolean;
};

function parseRange(text: string, bounds: Bounds): Range {
  const [range = '', step, ...more] = text.split('/');
  const { first, last, any } = parseEnds(range, text, bounds);
  if (more.length > 0) throw invalid(`too many slashes: ${text}`);
  const by = step === undefined ? 1 : parseNumber(step);
  // From a single number a step goes on to the end.
  const end = step !== undefined && !range.includes('-') ? bounds.max : last;
  check(first < bounds.min, `beginning of range (${first}) below minimum (${bounds.min})`, text);
  check(end > bounds.max, `end of range (${end}) above maximum (${bounds.max})`, text);
  check(first > end, `beginning of range (${first}) beyond end of range (${end})`, text);
  check(by === 0, 'step of range should be a positive number', text);
  return { first, last: end, step: by, any };
}

function parseEnds(range: string, text: string, bounds: Bounds): Omit<Range, 'step'> {
  const [low = '', high = low, ...more] = range.split('-');
  if (low === '*' || low === '?') return { first: bounds.min, last: bounds.max, any: true };
  const first = parseNumberOrName(low, bounds);
  if (more.length > 0) throw invalid(`too many hyphens: ${text}`);
  return { first, last: parseNumberOrName(high, bounds), any: false };
}

function parseNumberOrName(text: string, { names, min }: Bounds): number {
  const named = names.indexOf(text.toLowerCase());
  return named >= 0 ? named + min : parseNumber(text);
}

function parseNumber(text: string): number {
  const failed = `failed to parse int from ${text}: strconv.Atoi: parsing ${quoteGo(text)}: `;
  if (!/^[+-]?\d+$/.test(text)) throw invalid(`${failed}invalid syntax`);
  const value = BigInt(text.replace(/^\+/, ''));
  if (BigInt.asIntN(64, value) !== value) throw invalid(`${failed}value out of range`);
  if (value < 0n) throw invalid(`negative number (${value}) not allowed: ${text}`);
  return Number(value);
}

function check(wrong: boolean, problem: string, text: string): void {
  if (wrong) throw invalid(`${problem}: ${text}`);
}

function invalid(message: string): KubeError {
  return new KubeError('InvalidSchedule', message);
}
