import type { Cache } from '../cache/cache.ts';
import type { KindHealth } from '../cache/cache-health.ts';

/** What is wrong with a part of the process, in words; `undefined` when it is ready. */
export type ReadyCheck = () => string | undefined;

/** `live` is false when the process should be restarted, `ready` when it does not do its work at present. */
export type ManagerHealth = {
  readonly live: boolean;
  readonly ready: boolean;
  /** Why not, in words; empty when ready. */
  readonly reasons: readonly string[];
  readonly kinds: readonly KindHealth[];
};

/**
 * A process that is not live should be restarted: only where that helps, which is a connection that died unnoticed. One
 * that is not ready does not do its work at present: not started, not synced, refused by the server, or a check says so.
 */
export function managerHealth(cache: Cache, started: boolean, checks: Iterable<ReadyCheck>): ManagerHealth {
  const { kinds } = cache.health();
  const reasons = [
    ...(started ? [] : ['not started']),
    ...kinds.flatMap(({ condition, name, lastError }) =>
      condition === 'ok' ? [] : [`${name}: ${condition}${lastError === undefined ? '' : `: ${lastError}`}`],
    ),
    ...[...checks].flatMap((check) => check() ?? []),
  ];
  const live = kinds.every(({ condition }) => condition !== 'stale');
  return { live, ready: reasons.length === 0, reasons, kinds };
}
