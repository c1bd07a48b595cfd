import { type Clock, sleep } from '@kubewright/kube';
import type { Message } from '@kubewright/migratable';

/** What one producer has published, by its sequence numbers. */
export type Load = {
  /** How many were confirmed so far: they have the numbers 1 to this. */
  readonly published: number;
  /** Publishes no more; resolves with how many were confirmed, rejects where one was not. */
  stop(): Promise<number>;
};

export type LoadOptions = {
  readonly producer: string;
  readonly perSecond: number;
  /** Resolves when the broker has confirmed it. */
  readonly publish: (message: Message) => Promise<void>;
  readonly clock: Clock;
};

/** Publishes numbered messages, one after the other and each confirmed, as near to the rate as the broker lets it. */
export function startLoad({ producer, perSecond, publish, clock }: LoadOptions): Load {
  const stop = new AbortController();
  const start = clock.monotonic();
  let published = 0;
  const run = async (): Promise<number> => {
    while (!stop.signal.aborted) {
      await publish({ body: { producer, seq: published + 1 } });
      published += 1;
      const due = start + (published * 1000) / perSecond;
      await sleep(clock, Math.max(0, due - clock.monotonic()), stop.signal);
    }
    return published;
  };
  const ended = run();
  ended.catch(() => undefined);
  return {
    get published() {
      return published;
    },
    stop() {
      stop.abort();
      return ended;
    },
  };
}

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
