import type { MetricsSource } from '@kubewright/operators';
import type { Manager } from '@kubewright/runtime';

type Series = Awaited<ReturnType<MetricsSource['query']>>['series'][number];

/** When the load rises, in virtual milliseconds. */
const LOAD_RISES_AT = 30_000;
/** From when to when it does not respond at all: for less time than a load may be old. */
const [DOWN_AT, UP_AT] = [130_000, 200_000];
/** In the range. */
const SAMPLES = 40;
/** Millicores. */
const [BEFORE, AFTER] = [300, 1400];

/** At the end of each minute it responds to all: no load gets as old as one may be. */
const [MINUTE, MOODY] = [60_000, 35_000];

/** A Prometheus that fails one query in ten, finds nothing for another, and returns no number for a third. */
export function moodyPrometheus({ clock, random }: Pick<Manager, 'clock' | 'random'>): MetricsSource {
  return {
    async query(promql) {
      const now = clock.monotonic();
      const mood = now % MINUTE < MOODY ? random() : 1;
      if (mood < 0.1 || (now >= DOWN_AT && now < UP_AT)) throw new TypeError('no answer');
      return { series: found(promql, mood, now) };
    },
  };
}

function found(promql: string, mood: number, now: number): readonly Series[] {
  const all = (value: number): readonly Series[] => [{ labels: {}, value }];
  if (promql.startsWith('time()')) return all(0);
  if (promql.includes('count_over_time')) return all(SAMPLES);
  if (mood < 0.2 || !promql.includes('container_cpu_usage_seconds_total')) return [];
  return all(mood < 0.3 ? Number.NaN : now < LOAD_RISES_AT ? BEFORE : AFTER);
}
