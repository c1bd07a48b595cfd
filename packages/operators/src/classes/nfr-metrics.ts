import { Counter, Gauge, Histogram } from 'prom-client';
import type { ActOutcome, Manager, Registry } from '@kubewright/runtime';
import { CLASS_RUNTIMES, type Dimension } from './api.ts';

/** Metrics of recommendations and their enforcement, in the manager's registry. */
export type NfrMetrics = {
  /** Counts the outcome of an enforcement, and observes its duration. */
  measure(dimension: Dimension, enforcement: () => Promise<ActOutcome>): Promise<ActOutcome>;
};

type Measured = Pick<Manager, 'registry' | 'cache' | 'clock'>;

export function createNfrMetrics({ registry, cache, clock }: Measured): NfrMetrics {
  registry.registerMetric(recommendations(cache));
  const { applied, failed, seconds } = enforcements([registry]);
  return {
    async measure(dimension, enforcement) {
      const begun = clock.monotonic();
      try {
        const outcome = await enforcement();
        if (outcome === 'done') applied.inc({ dimension });
        else if (outcome !== 'conflict') failed.inc({ reason: outcome.reason });
        return outcome;
      } catch (error) {
        failed.inc({ reason: 'EnforceFailed' });
        throw error;
      } finally {
        seconds.observe((clock.monotonic() - begun) / 1000);
      }
    },
  };
}

function enforcements(registers: Registry[]) {
  const name = 'crm_nfr_enforcement';
  return {
    applied: new Counter({
      name: `${name}_apply_total`,
      help: 'Recommendations that were enforced',
      labelNames: ['dimension'],
      registers,
    }),
    failed: new Counter({
      name: `${name}_fail_total`,
      help: 'Enforcements that failed, by reason',
      labelNames: ['reason'],
      registers,
    }),
    seconds: new Histogram({
      name: `${name}_latency_seconds`,
      help: 'How long the server took to respond to an enforcement',
      registers,
    }),
  };
}

/** Collected from the cache at each scrape, so that deleted classes disappear; missing is never 0. */
function recommendations(cache: Manager['cache']): Gauge {
  cache.informer(CLASS_RUNTIMES);
  return new Gauge({
    name: 'crm_nfr_recommendation',
    help: 'Recommended value of a function, or of the data grid, by dimension',
    labelNames: ['namespace', 'name', 'function', 'dimension'],
    registers: [],
    collect() {
      this.reset();
      for (const { metadata, status } of cache.list(CLASS_RUNTIMES)) {
        const { namespace, name } = metadata;
        const nodes = status?.nfr_odgm?.recommended;
        if (nodes !== undefined)
          this.set({ namespace, name, function: '', dimension: 'odgm_replicas' }, nodes);
        for (const { function_key, recommended, resources = [] } of status?.nfr_details ?? []) {
          const of = { namespace, name, function: function_key };
          this.set({ ...of, dimension: 'replicas' }, recommended);
          for (const each of resources) this.set({ ...of, dimension: each.dimension }, each.recommended);
        }
      }
    },
  });
}
