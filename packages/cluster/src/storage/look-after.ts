import type { Result } from '@kubewright/runtime';

/** A webhook may have undone a write, and no event reports that. */
export const AFTER_WRITE: Result = { requeueAfter: 15_000 };

/** After a step that writes, another look; after none only a change matters. */
export function lookAfter({ type }: { readonly type: string }): Result {
  return type === 'none' ? {} : AFTER_WRITE;
}
