import type { SeededRandom } from '@kubewright/cluster';

/** What is wrong with a source of metrics for a while. */
export type Trouble = {
  readonly kind: (typeof KINDS)[number];
  /** Virtual milliseconds. */
  readonly from: number;
  readonly until: number;
};

const KINDS = ['lags', 'loses', 'doubles', 'fades'] as const;

/** Milliseconds between two samples. */
const SCRAPE = 2000;
/** Of a source that loses, this share of the samples is not there. */
const LOST = 0.4;
/** How late the samples of one that lags arrive. */
const LATE = 25_000;
/** When the load rises, in virtual milliseconds; before and after, in millicores. */
const RISES_AT = 30_000;
const [BEFORE, AFTER] = [300, 1400];

/** Two to five troubles; each is shorter than a load may be old. */
export function drawTroubles(random: Pick<SeededRandom, 'below'>): readonly Trouble[] {
  return Array.from({ length: 2 + random.below(4) }, (): Trouble => {
    const from = random.below(280_000);
    const kind = KINDS[random.below(KINDS.length)] ?? 'lags';
    return { kind, from, until: from + 15_000 + random.below(50_000) };
  });
}

type Sample = { readonly at: number; readonly value: number };

/** The samples of one counter of CPU, with what is wrong with the source that has them. Times are virtual milliseconds. */
export class Samples {
  readonly #troubles: readonly Trouble[];

  constructor(troubles: readonly Trouble[]) {
    this.#troubles = troubles;
  }

  /** From then on all samples come, and at once. */
  get wholeFrom(): number {
    return Math.max(0, ...this.#troubles.map(({ until }) => until + LATE));
  }

  /** How often it has each: two replicas of a source are one where they are counted as one. */
  copies(now: number): 1 | 2 {
    return this.#has('doubles', now) ? 2 : 1;
  }

  /** Those that it has at `now` of the `range` before `until`. */
  within(range: number, until: number, now: number): readonly Sample[] {
    const first = Math.max(0, Math.floor((until - range) / SCRAPE) + 1);
    const last = Math.floor(until / SCRAPE);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * SCRAPE)
      .filter((at) => this.#isThere(at, now))
      .map((at) => ({ at, value: usedUntil(at) }));
  }

  #isThere(at: number, now: number): boolean {
    if (this.#has('fades', at)) return false;
    if (this.#has('loses', at) && scattered(at) < LOST) return false;
    return !this.#has('lags', at) || at + LATE <= now;
  }

  #has(kind: Trouble['kind'], at: number): boolean {
    return this.#troubles.some((each) => each.kind === kind && at >= each.from && at < each.until);
  }
}

/**
 * The increase of a counter over a range, as sources have it: it goes on to the ends of the range as it was between its samples, and
 * no further than an interval. Undefined where there are no two samples.
 */
export function increaseOf(samples: readonly Sample[], range: number, until: number): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const seen = last.at - first.at;
  const interval = seen / (samples.length - 1);
  const towards = (gap: number): number => (gap < 1.1 * interval ? gap : interval / 2);
  const whole = seen + towards(first.at - (until - range)) + towards(until - last.at);
  return ((last.value - first.value) * whole) / seen;
}

/** Core-seconds since the world began. */
function usedUntil(at: number): number {
  return (BEFORE * Math.min(at, RISES_AT) + AFTER * Math.max(0, at - RISES_AT)) / 1e6;
}

/** In [0, 1): the same for the same sample. */
function scattered(at: number): number {
  return ((((at / SCRAPE) * 0.618_033_988_75) % 1) + 1) % 1;
}
