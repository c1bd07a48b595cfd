import { quoteGo } from '@kubewright/kube/validation';

type Interval = readonly [first: number, last: number];

/** What is wrong with `0-2,5` or the like; undefined for what rises, below `completions`. */
export function formatProblem(text: string, completions: number): string | undefined {
  let before = Number.NEGATIVE_INFINITY;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return interval;
    const [first, last] = interval;
    if (before >= first) return disorder(before, first);
    before = last;
  }
  return undefined;
}

/** The interval, or what is wrong with it. */
function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split('-');
  if (limits.length > 2) {
    const rule = "the requirement that an index interval can have at most two parts separated by '-'";
    return `the fragment ${quoteGo(text)} violates ${rule}`;
  }
  for (const limit of limits) {
    if (!/^[+-]?\d{1,15}$/.test(limit))
      return `cannot convert string to integer for index: ${quoteGo(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${quoteGo(limit)}`;
  }
  const [first = 0, last] = limits.map(Number);
  if (last === undefined) return [first, first];
  return first >= last ? disorder(first, last) : [first, last];
}

function disorder(before: number, now: number): string {
  return `non-increasing order, previous: ${before}, current: ${now}`;
}

/** The first index that is in both, of intervals that can be read. */
export function firstCommon(completed: string, failed: string, completions: number): number | undefined {
  if (completed === '' || failed === '') return undefined;
  const failures = intervals(failed, completions);
  for (const [first, last] of intervals(completed, completions))
    for (const [from, to] of failures) if (first <= to && from <= last) return Math.max(first, from);
  return undefined;
}

/** How many indexes a text names; 0 for one that cannot be read. */
export function countIndexes(text: string, completions: number): number {
  if (formatProblem(text, completions) !== undefined) return 0;
  return intervals(text, completions).reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

function intervals(text: string, completions: number): readonly Interval[] {
  return (text === '' ? [] : text.split(','))
    .map((part) => parseInterval(part, completions))
    .filter((interval) => typeof interval !== 'string');
}
