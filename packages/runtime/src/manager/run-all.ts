import { onAbort } from '@kubewright/client';
import { aborted } from '@kubewright/kube';
import type { Cache } from '../cache/cache.ts';
import type { Controller } from '../controller/controller.ts';
import type { Lead } from '../election/lead-with.ts';
import type { Runnable } from '../runnable.ts';

type Parts = {
  readonly cache: Cache;
  readonly runnables: readonly Runnable[];
  readonly controllers: readonly Controller[];
  readonly signal: AbortSignal;
  /** Absent: there is no election, everything starts at once. */
  readonly lead: Lead | undefined;
  /** Awaited before the Lease is released. */
  readonly finish: () => Promise<void>;
};

/**
 * Starts the cache and the runnables that need no leader, then the others once the Lease is held. On a stop, the Lease is
 * kept until its writers have ended, and the cache until its readers have. The first error stops everything and is
 * rethrown when all has stopped.
 */
export async function runAll({ cache, runnables, controllers, signal, lead, finish }: Parts): Promise<void> {
  const [stop, stopLeading, stopCache] = [
    new AbortController(),
    new AbortController(),
    new AbortController(),
  ];
  const forget = onAbort(signal, () => stop.abort(signal.reason));
  if (signal.aborted) stop.abort(signal.reason);
  const failures: unknown[] = [];
  const run = async (start: () => Promise<void>): Promise<void> => {
    try {
      await start();
    } catch (error) {
      failures.push(error);
      stop.abort(error);
    }
  };
  const cacheRun = cache.start(stopCache.signal);
  const parts: readonly Runnable[] = [...runnables, ...controllers];
  const needs = (part: Runnable): boolean => lead !== undefined && part.needLeaderElection !== false;
  const runs: Promise<void>[] = [];
  const begin = (runnable: Runnable): void => void runs.push(run(() => runnable.start(stop.signal)));
  for (const part of parts.filter((one) => !needs(one))) begin(part);
  const onLeading = (): void => {
    if (!stop.signal.aborted) parts.filter(needs).forEach(begin);
  };
  for (const controller of controllers.filter(needs)) runs.push(controller.warmUp(stop.signal));
  const leading = lead === undefined ? undefined : run(() => lead(stopLeading.signal, onLeading));
  await aborted(stop.signal);
  await Promise.all(runs);
  await finish();
  stopLeading.abort();
  await leading;
  stopCache.abort();
  await cacheRun;
  forget();
  if (failures.length > 0) throw failures[0];
}
