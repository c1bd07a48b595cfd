import type { MetricsSource } from '@kubewright/operators';
import type { Manager } from '@kubewright/runtime';

/** When the load rises, and to what it does, in millicores. */
const [RISES_AT, BEFORE, AFTER] = [30_000, 300, 1400];

/** A Prometheus that fails one query in ten, finds nothing for another, and returns no number for a third. */
export function moodyPrometheus({ clock, random }: Pick<Manager, 'clock' | 'random'>): MetricsSource {
  return {
    async query(promql) {
      const mood = random();
      if (mood < 0.1) throw new TypeError('no answer');
      if (mood < 0.2 || !promql.includes('container_cpu_usage_seconds_total')) return [];
      const value = mood < 0.3 ? Number.NaN : clock.monotonic() < RISES_AT ? BEFORE : AFTER;
      return [{ labels: {}, value }];
    },
  };
}
