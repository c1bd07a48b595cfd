import { type Clock, sleep, systemClock } from '@kubewright/kube';
import type { Registry } from 'prom-client';

/** Milliseconds from one collection to the next: each takes a part of the only thread. */
const PAUSE_MS = 100;

/**
 * The metrics of `registry` as Prometheus reads them, for whoever requests them. Requests that come while a collection is under way
 * or about to start share it: many, on whatever connections, take no more of the process than a few. The first starts in a turn of
 * the loop of its own, after all the connections that were ready in this one.
 */
export function collectTogether(
  registry: Pick<Registry, 'metrics'>,
  clock: Clock = systemClock,
): () => Promise<string> {
  let underWay: Promise<string> | undefined;
  let earliest = clock.monotonic();
  const collect = async (): Promise<string> => {
    await sleep(clock, Math.max(0, earliest - clock.monotonic()));
    earliest = clock.monotonic() + PAUSE_MS;
    return await registry.metrics();
  };
  return () => {
    underWay ??= collect().finally(() => (underWay = undefined));
    return underWay;
  };
}
