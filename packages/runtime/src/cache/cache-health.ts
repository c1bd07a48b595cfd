import type { InformerStatus } from './informer.ts';

/**
 * The health of one kind's informer: `syncing` until its first list is complete; `forbidden` when the account may not list
 * or watch it, see `lastError`; `failing` while the server rejects requests or is unreachable, which is transient; `stale`
 * when nothing arrived for longer than any watch or request lasts, which is not.
 */
export type KindHealth = InformerStatus & {
  /** See `CachedKind.isOnDemand`. */
  readonly isOnDemand: boolean;
  readonly condition: 'ok' | 'syncing' | 'forbidden' | 'failing' | 'stale';
};

export type CacheHealth = { readonly healthy: boolean; readonly kinds: readonly KindHealth[] };

/** More failures in a row than a restart of the server causes. */
const FAILING_AFTER = 5;

export function cacheHealth(
  statuses: readonly Omit<KindHealth, 'condition'>[],
  staleAfterMs: number,
): CacheHealth {
  const kinds = statuses.map((status) => ({ ...status, condition: conditionOf(status, staleAfterMs) }));
  return { healthy: kinds.every(({ condition }) => condition === 'ok'), kinds };
}

function conditionOf(status: InformerStatus, staleAfterMs: number): KindHealth['condition'] {
  if (!status.synced && status.forbidden) return 'forbidden';
  if (status.failures >= FAILING_AFTER) return 'failing';
  if (status.silentMs > staleAfterMs) return 'stale';
  return status.synced ? 'ok' : 'syncing';
}
