import type { CacheEvent } from '@kubewright/runtime';

/** A predicate for watches whose deletions alone matter. */
export function isDelete({ type }: CacheEvent): boolean {
  return type === 'Delete';
}
