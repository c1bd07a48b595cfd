import type { Client, ResourceRef } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';

/** Calls at a time: few, so that what is measured is the way to a webhook and not a queue. */
export const CONCURRENCY = 4;

export const CONFIG_MAPS: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

/** Milliseconds that half, and 99 of 100, of the calls took at most. */
export type Latency = { readonly p50: number; readonly p99: number };

export function configMap(namespace: string, name: string, data: Record<string, string> = {}): KubeObject {
  const text = 'x'.repeat(512);
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { text, ...data } };
}

/** Creates `count` ConfigMaps, {@link CONCURRENCY} at a time; milliseconds of each. */
export async function createMany(
  client: Client,
  namespace: string,
  prefix: string,
  count: number,
): Promise<number[]> {
  const took: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const object = configMap(namespace, `${prefix}-${next++}`);
      const began = performance.now();
      await client.create(CONFIG_MAPS, object);
      took.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return took;
}

export function latencyOf(took: readonly number[]): Latency {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
