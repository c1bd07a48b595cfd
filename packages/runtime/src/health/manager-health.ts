import type { Cache } from '../cache/cache.ts';
import type { KindHealth } from '../cache/cache-health.ts';
import type { Controller } from '../controller/controller.ts';
import { formatRequest } from '../controller/reconciler.ts';

/** What is wrong with a part of the process, in words; `undefined` when it is ready. */
export type ReadyCheck = () => string | undefined;

/** `live` is false when the process should be restarted, `ready` when it does not do its work at present. */
export type ManagerHealth = {
  readonly live: boolean;
  readonly ready: boolean;
  /** Why not, in words; empty when ready. */
  readonly reasons: readonly string[];
  /**
   * Objects whose reconciles failed five times in a row or more: controller, object, last error, in words. Ten at most,
   * and how many more there are. The process is live and ready all the same: a restart does not mend an object, and
   * one object must not take a webhook server out of its Service.
   */
  readonly degraded: readonly string[];
  readonly kinds: readonly KindHealth[];
};

/** As a kind of the cache is failing after so many. */
const DEGRADED_AFTER = 5;
const MOST_SHOWN = 10;

type Parts = {
  readonly cache: Cache;
  readonly started: boolean;
  readonly checks: Iterable<ReadyCheck>;
  readonly controllers: readonly Controller[];
};

/**
 * A process that is not live should be restarted: only where that helps, which is a connection that died unnoticed. One
 * that is not ready does not do its work at present: not started, not synced, refused by the server, or a check says so.
 */
export function managerHealth({ cache, started, checks, controllers }: Parts): ManagerHealth {
  const { kinds } = cache.health();
  const reasons = [
    ...(started ? [] : ['not started']),
    ...kinds.flatMap(({ condition, name, lastError }) =>
      condition === 'ok' ? [] : [`${name}: ${condition}${lastError === undefined ? '' : `: ${lastError}`}`],
    ),
    ...[...checks].flatMap((check) => check() ?? []),
  ];
  const live = kinds.every(({ condition }) => condition !== 'stale');
  return { live, ready: reasons.length === 0, reasons, degraded: degradedBy(controllers), kinds };
}

function degradedBy(controllers: readonly Controller[]): readonly string[] {
  const all = controllers.flatMap((controller) =>
    controller
      .failing(DEGRADED_AFTER)
      .map(
        ({ request, failures, error }) =>
          `controller ${controller.name}: ${formatRequest(request)} failed ${failures} times in a row: ${error}`,
      ),
  );
  const more = all.length - MOST_SHOWN;
  return more > 0 ? [...all.slice(0, MOST_SHOWN), `and ${more} more objects`] : all;
}
