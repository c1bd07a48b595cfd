import { type LoadTarget, secondsOf } from './load-queries.ts';
import type { Series } from './metrics-source.ts';

/** Of which pods a counter is known for all of a range. */
export type Coverage = {
  /** Seconds since the newest sample of all; undefined: there is none. */
  readonly age: number | undefined;
  /** Pods whose newest sample is not older than those of the others. */
  readonly live: readonly string[];
  /** Those of them that have had samples all the time that they ran within the range. */
  readonly whole: readonly string[];
  /** Seconds between two samples in this range; undefined where there are too few to say. */
  readonly interval: number | undefined;
};

/** So many intervals late is no jitter. */
const LATE = 2.5;
/** Of the samples that a range should have, this share is enough. */
const ENOUGH = 0.8;
/** Pods begin to be scraped some time after they have started: seconds, and of a short range no more than this share. */
const FIRST_SAMPLE = 60;
const FIRST_SHARE = 0.1;

/**
 * An increase is right for a pod that has samples at both ends of the range: one that has none since a while fades, one that has some
 * again only now seems to begin. `usual`: the interval that is known from before, seconds; `others`: the age of another counter, with
 * which this one has to keep up.
 */
export function coverageOf(
  { age: ages, count: counts }: { readonly age: readonly Series[]; readonly count: readonly Series[] },
  { pods, range, running }: LoadTarget,
  { usual, others }: { readonly usual?: number | undefined; readonly others?: number | undefined },
): Coverage {
  const seconds = secondsOf(range);
  const most = Math.max(...counts.map(({ value }) => value));
  // One sample has no interval.
  const seen = most >= 2 ? seconds / most : undefined;
  const interval = usual === undefined || seen === undefined ? (usual ?? seen) : Math.min(usual, seen);
  if (ages.length === 0) return { age: undefined, live: [], whole: [], interval: seen };
  const age = Math.max(0, Math.min(...ages.map(({ value }) => value)));
  const newest = others ?? age;
  const latest = newest + LATE * (interval ?? seconds);
  const live = podsIn(
    ages.filter(({ value }) => value <= latest),
    pods,
  );
  const unseen = Math.min(FIRST_SAMPLE, FIRST_SHARE * seconds);
  const hasAll = (pod: string): boolean => {
    const ran = Math.min(seconds, (running?.get(pod) ?? Infinity) - unseen);
    const count = counts.find(({ labels }) => (labels['pod'] ?? pod) === pod)?.value ?? 0;
    return interval !== undefined && count >= ENOUGH * (ran / interval);
  };
  return { age, live, whole: live.filter(hasAll), interval: seen };
}

/** The pods that have a value. A series without the label `pod` is the sum of all. */
export function podsIn(series: readonly Series[], pods: readonly string[]): readonly string[] {
  const known = new Set(series.flatMap(({ labels }) => labels['pod'] ?? []));
  return series.length > 0 && known.size === 0 ? pods : pods.filter((pod) => known.has(pod));
}
