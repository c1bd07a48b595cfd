/** Numbers that have not come though later ones have: the first and the last, both of them missing. */
export type Gap = readonly [from: number, to: number];

/** Gaps of one producer that are remembered, the latest ones: whoever leaves out numbers all the time fills no memory. */
export const MOST_GAPS = 64;

/** The open gaps of one producer, in ascending order. Pure: what returns gaps leaves those that it was given as they are. */
export function withGap(gaps: readonly Gap[], gap: Gap): readonly Gap[] {
  return [...gaps, gap].slice(-MOST_GAPS);
}

/** Undefined where the number is in none of them. */
export function withoutNumber(gaps: readonly Gap[], number: number): readonly Gap[] | undefined {
  const at = gaps.findIndex(([from, to]) => from <= number && number <= to);
  const [from, to] = gaps[at] ?? [0, -1];
  if (at < 0) return undefined;
  const sides: readonly Gap[] = [
    [from, number - 1],
    [number + 1, to],
  ];
  const left = sides.filter(([first, last]) => first <= last);
  return [...gaps.slice(0, at), ...left, ...gaps.slice(at + 1)].slice(-MOST_GAPS);
}
