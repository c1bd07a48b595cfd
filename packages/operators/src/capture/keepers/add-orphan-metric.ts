import type { Manager } from '@kubewright/runtime';
import { Gauge } from 'prom-client';
import { countOrphans } from './count-orphans.ts';

/** Counts when somebody asks, from the cache. */
export function addOrphanMetric({
  cache,
  clock,
  registry,
}: Pick<Manager, 'cache' | 'clock' | 'registry'>): void {
  registry.registerMetric(
    new Gauge({
      name: 'capture_orphaned_keepers',
      help: 'ObjectKeepers that have outlived the object that they follow, or their TTL, with all that they own',
      registers: [],
      collect() {
        this.set(countOrphans(cache, new Date(clock.now())));
      },
    }),
  );
}
