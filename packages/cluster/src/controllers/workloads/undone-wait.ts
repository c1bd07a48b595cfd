import type { KubeObject, Stored } from '@kubewright/kube';
import type { Result } from '@kubewright/runtime';

/** Milliseconds after which to reconcile again what a webhook may have undone. */
export const UNDONE_MS = 30_000;

/**
 * Milliseconds after which to look again at an update that changed nothing, as what the server returns has the version
 * that was sent: a webhook has undone it, and no event reports that.
 */
export function undoneWait(sent: KubeObject, stored: Stored | undefined): number | undefined {
  if (stored === undefined) return undefined;
  return stored.metadata.resourceVersion === sent.metadata.resourceVersion ? UNDONE_MS : undefined;
}

/** Looks again after the shortest of these waits, in milliseconds, if there is any that ends. */
export function soonest(...waits: readonly (number | undefined)[]): Result {
  const due = waits.filter((wait): wait is number => wait !== undefined && Number.isFinite(wait));
  return due.length === 0 ? {} : { requeueAfter: Math.min(...due) };
}
