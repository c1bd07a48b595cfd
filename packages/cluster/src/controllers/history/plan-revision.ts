import { type appsv1, jsonEqual, type Stored } from '@kubewright/kube';

type Revision = Stored<appsv1.ControllerRevision>;

/** What makes the newest revision that of the present template. */
export type RevisionPlan =
  | { readonly type: 'keep'; readonly revision: Revision }
  /** The template is an older one again: its revision becomes the newest. */
  | { readonly type: 'renumber'; readonly revision: Revision; readonly to: number }
  | { readonly type: 'create'; readonly revision: appsv1.ControllerRevision };

/** The number after the newest. `revisions` are oldest first. */
export const nextNumber = (revisions: readonly Revision[]): number => (revisions.at(-1)?.revision ?? 0) + 1;

/** `next` keeps the present template under the next number; `revisions` is the history so far, oldest first. */
export function planRevision(next: appsv1.ControllerRevision, revisions: readonly Revision[]): RevisionPlan {
  const newest = revisions.at(-1);
  const equal = revisions.findLast(({ data }) => jsonEqual(data ?? null, next.data ?? null));
  if (equal === undefined) return { type: 'create', revision: next };
  return equal === newest
    ? { type: 'keep', revision: equal }
    : { type: 'renumber', revision: equal, to: next.revision };
}

/** The revisions that a history of `limit` has no room for; those `inUse`, by name, do not count. */
export function surplusRevisions(
  revisions: readonly Revision[],
  inUse: ReadonlySet<string>,
  limit: number,
): readonly Revision[] {
  const past = revisions.filter(({ metadata }) => !inUse.has(metadata.name));
  return limit < 0 ? [] : past.slice(0, Math.max(0, past.length - limit));
}
