import { onAbort } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { Controller } from '../controller/controller.ts';
import type { Lead } from '../election/lead-with.ts';
import type { Runnable } from './manager.ts';

type Parts = {
  readonly cache: Cache;
  readonly runnables: readonly Runnable[];
  readonly controllers: readonly Controller[];
  readonly signal: AbortSignal;
  /** Absent: nobody else is there, everything starts at once. */
  readonly lead: Lead | undefined;
};

/**
 * The order of a manager's life: cache and what needs no leader, then the rest when the Lease is held. On the way out
 * the Lease outlives what writes under it, and the cache what reads it. The first rejection stops everything and is
 * passed on when all has stopped.
 */
export async function runAll({ cache, runnables, controllers, signal, lead }: Parts): Promise<void> {
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
  const needs = (runnable: Runnable): boolean => lead !== undefined && runnable.needLeaderElection !== false;
  const runs: Promise<void>[] = [];
  const begin = (runnable: Runnable): void => void runs.push(run(() => runnable.start(stop.signal)));
  const led = [...runnables.filter(needs), ...controllers];
  for (const runnable of runnables.filter((one) => !needs(one))) begin(runnable);
  const onLeading = (): void => {
    if (!stop.signal.aborted) led.forEach(begin);
  };
  if (lead !== undefined) for (const controller of controllers) runs.push(controller.warmUp(stop.signal));
  const leading =
    lead === undefined ? Promise.resolve(onLeading()) : run(() => lead(stopLeading.signal, onLeading));
  await aborted(stop.signal);
  await Promise.all(runs);
  stopLeading.abort();
  await leading;
  stopCache.abort();
  await cacheRun;
  forget();
  if (failures.length > 0) throw failures[0];
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });
}
