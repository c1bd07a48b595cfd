import type { Cache } from '../cache/cache.ts';
import type { KindHealth } from '../cache/cache-health.ts';
import type { Controller } from '../controller/controller.ts';
import { formatRequest } from '../controller/reconciler.ts';

/** Why a component is not ready; `undefined` when it is. */
export type ReadyCheck = () => string | undefined;

/** `live` is false when the process should be restarted, `ready` when it cannot do its work at present. */
export type ManagerHealth = {
  readonly live: boolean;
  readonly ready: boolean;
  /** Why it is not ready; empty when it is. */
  readonly reasons: readonly string[];
  /**
   * Kinds on demand that cannot be listed, and objects whose reconciles failed at least five times in a row: controller,
   * object, last error. Ten objects at most, and how many more there are. The process is live and ready all the same: a restart does not fix an object, and one object must not
   * take a webhook server out of its Service.
   */
  readonly degraded: readonly string[];
  readonly kinds: readonly KindHealth[];
};

/** The same number of failures as for a kind of the cache. */
const DEGRADED_AFTER = 5;
const MOST_SHOWN = 10;

type Parts = {
  readonly cache: Cache;
  readonly started: boolean;
  readonly checks: Iterable<ReadyCheck>;
  readonly controllers: readonly Controller[];
};

/**
 * Not live: the process should be restarted, which helps only against a connection that died unnoticed. Not ready: it is not
 * started or not synced, the server rejects its requests, or a check fails. A kind that is cached on demand is no
 * reason.
 */
export function managerHealth({ cache, started, checks, controllers }: Parts): ManagerHealth {
  const { kinds } = cache.health();
  const reasons = [
    ...(started ? [] : ['not started']),
    ...kinds.filter((kind) => !mayLack(kind)).flatMap(troubleOf),
    ...[...checks].flatMap((check) => check() ?? []),
  ];
  const live = kinds.every(({ condition }) => condition !== 'stale');
  const lacking = kinds.filter((kind) => mayLack(kind) && kind.condition !== 'syncing');
  const degraded = [...lacking.flatMap(troubleOf), ...degradedBy(controllers)];
  return { live, ready: reasons.length === 0, reasons, degraded, kinds };
}

function mayLack({ isOnDemand, condition }: KindHealth): boolean {
  return isOnDemand && condition !== 'stale';
}

function troubleOf({ condition, name, lastError }: KindHealth): string[] {
  if (condition === 'ok') return [];
  return [`${name}: ${condition}${lastError === undefined ? '' : `: ${lastError}`}`];
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
