import { type KubeObject, matchesLabels, parseLabelSelector } from '@kubewright/kube';
import type { Cache, CacheListOptions, CacheOptions } from './cache.ts';
import { cacheHealth } from './cache-health.ts';
import { InformerSet } from './informer-set.ts';
import { storeKey } from './object-store.ts';

const DEFAULT_STALE_AFTER_MS = 11 * 60_000;

export function createCache(options: CacheOptions): Cache {
  const informers = new InformerSet(options);
  return {
    informer: (ref, settings) => informers.begin(ref, settings),
    get: (ref, { namespace, name }) => informers.get(ref).store.get(storeKey(namespace, name)),
    list: (ref, filter = {}) => [...informers.get(ref).store.values()].filter(filterOf(filter)),
    byIndex: (ref, name, value) => informers.get(ref).store.byIndex(name, value),
    addIndex: (ref, name, valuesOf) => informers.begin(ref).store.addIndex(name, valuesOf),
    start: (signal) => informers.start(signal),
    async waitForSync(signal) {
      await Promise.all(informers.all().map((informer) => informer.waitForSync(signal)));
    },
    health() {
      const statuses = informers.all().map((informer) => informer.status());
      return cacheHealth(statuses, options.staleAfterMs ?? DEFAULT_STALE_AFTER_MS);
    },
  };
}

function filterOf({ namespace, labelSelector }: CacheListOptions): (object: KubeObject) => boolean {
  const selector = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector);
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (selector === undefined || matchesLabels(selector, metadata.labels ?? {}));
}
