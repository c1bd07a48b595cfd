import type { Component } from '@kubewright/cluster';
import type { MetricsSource } from '@kubewright/operators';
import type { Manager } from '@kubewright/runtime';
import { drawTroubles, increaseOf, Samples } from './classes-samples.ts';

type Series = Awaited<ReturnType<MetricsSource['query']>>['series'][number];

/** From when to when it does not respond at all: for less time than a load may be old. */
const [DOWN_AT, UP_AT] = [130_000, 200_000];
/** At the end of each minute it responds to all: no load gets as old as one may be. */
const [MINUTE, MOODY] = [60_000, 35_000];

/** A Prometheus of a world: its samples come late, get lost, double and stop for a while, as the seed decides; and it is moody. */
export class WorldMetrics {
  #samples = new Samples([]);

  /** It is outside of the operator, so that all of its processes see the same. */
  readonly component: Component = {
    name: 'metrics',
    start: async ({ random }) => {
      const below = (limit: number): number => Math.floor(random() * limit);
      this.#samples = new Samples(drawTroubles({ below }));
    },
  };

  /** Whether something is wrong with it for a while, now or later: the status says what. Its moods pass too quickly for that. */
  isTroubled(now: number): boolean {
    return now < Math.max(UP_AT, this.#samples.wholeFrom);
  }

  /** To one process it fails one query in ten, finds nothing for another, and returns no number for a third. */
  source({ clock, random }: Pick<Manager, 'clock' | 'random'>): MetricsSource {
    return {
      query: async (promql) => {
        const now = clock.monotonic();
        const mood = now % MINUTE < MOODY ? random() : 1;
        if (mood < 0.1 || (now >= DOWN_AT && now < UP_AT)) throw new TypeError('no answer');
        const value = promql.includes(CPU) && mood >= 0.2 ? this.#answer(promql, now) : undefined;
        if (value === undefined) return { series: [] };
        return { series: this.#each(mood < 0.3 && isSum(promql) ? Number.NaN : value, promql, now) };
      },
    };
  }

  #answer(promql: string, now: number): number | undefined {
    const range = secondsIn(promql, /\[(\d+)s\]/) * 1000;
    if (promql.startsWith('time()')) {
      const newest = this.#samples.within(LOOKBACK, now, now).at(-1);
      return newest && (now - newest.at) / 1000;
    }
    const until = now - secondsIn(promql, / offset (\d+)s/) * 1000;
    const samples = this.#samples.within(range, until, now);
    if (promql.includes('count_over_time')) return samples.length === 0 ? undefined : samples.length;
    const increase = increaseOf(samples, range, until);
    return increase && (increase * 1000 * 1000) / range;
  }

  /** What is collected twice is there twice, unless it is asked for as one. */
  #each(value: number, promql: string, now: number): readonly Series[] {
    const copies = /\bmax (by|without) /.test(promql) ? 1 : this.#samples.copies(now);
    return Array.from({ length: copies }, () => ({ labels: {}, value }));
  }
}

const CPU = 'container_cpu_usage_seconds_total';
/** How far back a source looks for the newest sample: milliseconds. */
const LOOKBACK = 300_000;

function isSum(promql: string): boolean {
  return promql.includes('increase(');
}

function secondsIn(promql: string, pattern: RegExp): number {
  return Number(pattern.exec(promql)?.[1] ?? 0);
}

/** Asks as operators do that know nothing of what goes wrong with a source. */
export const naiveSources: Readonly<Record<string, (source: MetricsSource) => MetricsSource>> = {
  /** What is collected twice counts twice. */
  gullible: (source) => ({
    query: (promql, signal) => source.query(promql.replaceAll(/max (by|without) /g, 'sum $1 '), signal),
  }),
  /** Takes what the source says now for the load of now, however old its samples are, and however few. */
  trusting: (source) => ({
    async query(promql, signal) {
      const answer = await source.query(promql.replaceAll(/ offset \d+s/g, ''), signal);
      const known = promql.startsWith('time()') ? 0 : promql.includes('count_over_time') ? 10 : undefined;
      return known === undefined ? answer : { series: [{ labels: {}, value: known }] };
    },
  }),
};
