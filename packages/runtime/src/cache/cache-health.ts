import type { InformerStatus } from './informer.ts';

/**
 * One kind of a cache: `syncing` until its first list is complete, or `forbidden` where it never will be for want of a
 * right, as `lastError` says; `failing` when the server refuses or cannot be
 * reached, which passes; `stale` when nothing at all was heard for longer than any watch or call lasts, which does not.
 */
export type KindHealth = InformerStatus & {
  readonly condition: 'ok' | 'syncing' | 'forbidden' | 'failing' | 'stale';
};

export type CacheHealth = { readonly healthy: boolean; readonly kinds: readonly KindHealth[] };

/** So many failures in a row are more than a restart of the server. */
const FAILING_AFTER = 5;

export function cacheHealth(statuses: readonly InformerStatus[], staleAfterMs: number): CacheHealth {
  const kinds = statuses.map((status) => ({ ...status, condition: conditionOf(status, staleAfterMs) }));
  return { healthy: kinds.every(({ condition }) => condition === 'ok'), kinds };
}

function conditionOf(status: InformerStatus, staleAfterMs: number): KindHealth['condition'] {
  if (!status.synced && status.forbidden) return 'forbidden';
  if (status.failures >= FAILING_AFTER) return 'failing';
  if (status.silentMs > staleAfterMs) return 'stale';
  return status.synced ? 'ok' : 'syncing';
}
