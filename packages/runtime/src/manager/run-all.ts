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
  /** Absent: nobody else is there, everything starts at once. */
  readonly lead: Lead | undefined;
  /** What has to be finished while the Lease is still held. */
  readonly finish: () => Promise<void>;
};

/**
 * The order of a manager's life: cache and what needs no leader, then the rest when the Lease is held. On the way out
 * the Lease outlives what writes under it, and the cache what reads it. The first rejection stops everything and is
 * passed on when all has stopped.
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
