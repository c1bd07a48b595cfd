export type Applied = { readonly producer: string; readonly seq: number };

/** What became of the messages of each producer: all are empty where each was applied once, in its order. */
export type Verdict = {
  readonly missing: readonly Applied[];
  readonly double: readonly Applied[];
  /** Applied after a later one of the same producer. */
  readonly disordered: readonly Applied[];
};

/** Compares what the survivor applied, in its order, with what was published. */
export function checkApplied(applied: readonly Applied[], published: ReadonlyMap<string, number>): Verdict {
  const last = new Map<string, number>();
  const seen = new Set<string>();
  const verdict = { missing: [] as Applied[], double: [] as Applied[], disordered: [] as Applied[] };
  const keyOf = ({ producer, seq }: Applied): string => JSON.stringify([producer, seq]);
  for (const one of applied) {
    if (seen.has(keyOf(one))) verdict.double.push(one);
    else if (one.seq < (last.get(one.producer) ?? 0)) verdict.disordered.push(one);
    seen.add(keyOf(one));
    last.set(one.producer, Math.max(one.seq, last.get(one.producer) ?? 0));
  }
  for (const [producer, count] of published)
    for (let seq = 1; seq <= count; seq++)
      if (!seen.has(keyOf({ producer, seq }))) verdict.missing.push({ producer, seq });
  return verdict;
}
