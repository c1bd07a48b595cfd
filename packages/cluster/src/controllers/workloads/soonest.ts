import type { Result } from '@kubewright/runtime';

/** Milliseconds after which to look again at what a webhook has undone or changed: no event tells of that. */
export const UNDONE_MS = 30_000;

/** Looks again after the shortest of these waits, in milliseconds, if there is any. */
export function soonest(...waits: readonly (number | undefined)[]): Result {
  const due = waits.filter((wait): wait is number => wait !== undefined && wait > 0);
  return due.length === 0 ? {} : { requeueAfter: Math.min(...due) };
}
