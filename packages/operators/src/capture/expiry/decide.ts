import { type KubeObject, parseTime, type Stored } from '@kubewright/kube';
import type { Decision } from '@kubewright/runtime';

/** The fields of a finished request that its expiry needs. */
export type Expirable = Stored & { readonly status?: { readonly completionTimestamp?: string } };

export type ExpiryAction<T extends KubeObject> = { readonly type: 'delete'; readonly request: Stored<T> };

/** The longest delay of a Node.js timer is 24 days; one day is enough. */
const LONGEST_MS = 86_400_000;
/** Allowed clock skew: a completion further in the future is reported as such. */
const SKEW_MS = 60_000;

/** Deletes a request when more than `ttl` has passed since its completion; without a TTL, never. */
export function decide<T extends KubeObject>(
  request: Stored<T> & Expirable,
  ttl: number | undefined,
  now: Date,
): Decision<ExpiryAction<T>, never> {
  const { completionTimestamp } = request.status ?? {};
  if (completionTimestamp === undefined) return { reason: 'NotFinished' };
  if (ttl === undefined) return { reason: 'KeptForEver' };
  const completed = parseTime(completionTimestamp).getTime();
  const left = completed + ttl - now.getTime();
  const isAhead = completed - now.getTime() > SKEW_MS;
  // Strictly after: a request that completed exactly one TTL ago is kept.
  if (left >= 0)
    return { reason: isAhead ? 'CompletedInFuture' : 'Kept', requeueAfter: Math.min(left + 1, LONGEST_MS) };
  return { reason: 'Expired', action: { type: 'delete', request } };
}
