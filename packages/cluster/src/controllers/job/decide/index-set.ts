type Interval = { readonly first: number; readonly last: number };

/** Completion indexes in rising order, neither overlapping nor touching: `0-2,5` of a Job's status. */
export type IndexSet = readonly Interval[];

export const NO_INDEXES: IndexSet = [];

/** Reads what {@link formatIndexes} writes; leaves out what is not a number, and indexes from `completions` on. */
export function parseIndexes(text: string, completions: number): IndexSet {
  const intervals: Interval[] = [];
  for (const part of text === '' ? [] : text.split(',')) {
    const [from = '', to = from] = part.split('-');
    if (!isWhole(from) || !isWhole(to)) continue;
    const first = Number(from);
    if (first >= completions) break;
    intervals.push({ first, last: Math.min(Number(to), completions - 1) });
  }
  return mergeIntervals(intervals);
}

/** Of two neighbours each is named, of more the first and the last. */
export function formatIndexes(set: IndexSet): string {
  return set
    .map(({ first, last }) => {
      if (first === last) return `${first}`;
      return `${first}${last === first + 1 ? ',' : '-'}${last}`;
    })
    .join(',');
}

export function countIndexes(set: IndexSet): number {
  return set.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

export function hasIndex(set: IndexSet, index: number): boolean {
  return set.some(({ first, last }) => first <= index && index <= last);
}

export function indexSet(indexes: Iterable<number>): IndexSet {
  return mergeIntervals([...indexes].map((index) => ({ first: index, last: index })));
}

export function unionIndexes(...sets: readonly IndexSet[]): IndexSet {
  return mergeIntervals(sets.flat());
}

/** How many indexes are in both. */
export function countCommon(a: IndexSet, b: IndexSet): number {
  let [sum, inA, inB] = [0, 0, 0];
  for (;;) {
    const [one, other] = [a[inA], b[inB]];
    if (one === undefined || other === undefined) return sum;
    sum += Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1);
    if (one.last < other.last) inA++;
    else inB++;
  }
}

/** The lowest `count` indexes below `completions` that are not in `taken`. */
export function firstMissing(taken: IndexSet, count: number, completions: number): readonly number[] {
  const missing: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && missing.length < count; candidate++)
      missing.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return missing;
}

function mergeIntervals(intervals: readonly Interval[]): IndexSet {
  const merged: Interval[] = [];
  for (const interval of [...intervals].sort((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before === undefined || interval.first > before.last + 1) merged.push(interval);
    else merged[merged.length - 1] = { first: before.first, last: Math.max(before.last, interval.last) };
  }
  return merged;
}

function isWhole(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
