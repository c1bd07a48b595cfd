import { type appsv1, jsonEqual } from '@kubewright/kube';
import { newRevision, type Versioned } from './new-revision.ts';

type Revision = appsv1.ControllerRevision;

/** What makes the newest revision that of the present template. */
export type RevisionPlan =
  | { readonly type: 'keep'; readonly revision: Revision }
  /** The template is an older one again: its revision becomes the newest. */
  | { readonly type: 'renumber'; readonly revision: Revision; readonly to: number }
  | { readonly type: 'create'; readonly revision: Revision };

/** `revisions` are those of `owner`, oldest first. */
export function planRevision(
  owner: Versioned,
  revisions: readonly Revision[],
  collisions: number,
): RevisionPlan {
  const newest = revisions.at(-1);
  const next = newRevision(owner, (newest?.revision ?? 0) + 1, collisions);
  const equal = revisions.findLast(({ data }) => jsonEqual(data ?? null, next.data ?? null));
  if (equal === undefined) return { type: 'create', revision: next };
  if (equal === newest || jsonEqual(equal.data ?? null, newest?.data ?? null))
    return { type: 'keep', revision: newest ?? equal };
  return { type: 'renumber', revision: equal, to: next.revision };
}

/** The revisions that a history of `limit` has no room for; those `inUse`, by name, do not count. */
export function surplusRevisions(
  revisions: readonly Revision[],
  inUse: ReadonlySet<string>,
  limit: number,
): readonly Revision[] {
  const past = revisions.filter(({ metadata }) => !inUse.has(metadata.name ?? ''));
  return limit < 0 ? [] : past.slice(0, Math.max(0, past.length - limit));
}
