import type { Cache, CacheOptions } from './cache.ts';
import { cacheHealth } from './cache-health.ts';
import { InformerSet } from './informer-set.ts';
import { storeKey } from './object-store.ts';
import { selects } from './selection.ts';

const DEFAULT_STALE_AFTER_MS = 11 * 60_000;

export function createCache(options: CacheOptions): Cache {
  const informers = new InformerSet(options);
  return {
    informer: (ref, settings) => informers.begin(ref, settings),
    get: (ref, { namespace, name }) => informers.get(ref).get(storeKey(namespace, name)),
    list: (ref, filter = {}) => informers.get(ref).list().filter(selects(filter)),
    byIndex: (ref, name, value) => informers.get(ref).byIndex(name, value),
    addIndex: (ref, name, valuesOf) => informers.begin(ref).addIndex(name, valuesOf),
    informersOf: (ref) => informers.of(ref),
    start: (signal) => informers.start(signal),
    waitForSync: (signal) => informers.waitForSync(signal),
    health() {
      const statuses = informers.statuses();
      return cacheHealth(statuses, options.staleAfterMs ?? DEFAULT_STALE_AFTER_MS);
    },
  };
}
