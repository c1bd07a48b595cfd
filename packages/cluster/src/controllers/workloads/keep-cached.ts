import type { Ref } from '@kubewright/client';
import { type Source, watchMapped } from '@kubewright/runtime';

/** Keeps a kind in the cache for the reconciler to read; its events reconcile nothing. */
export function keepCached(ref: Ref): Source {
  return watchMapped(ref, () => []);
}
