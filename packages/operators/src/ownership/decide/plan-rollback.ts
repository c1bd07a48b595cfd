import type { Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import type { OwnershipReport } from '../api.ts';
import { type Claims, identityOf, type Owner, readManagedFields } from '../read-managed-fields.ts';
import { type Rewrite, rewriteOf } from './rewrite.ts';

/** A rewrite that this reconcile carried out, to be undone if the apply that it was for is rejected. */
export type Migrated = {
  readonly before: Stored;
  readonly after: Stored;
  /** Of its plan: {@link planHash}. */
  readonly hash: string;
  /** Who got the fields. */
  readonly to: Owner;
  readonly report: OwnershipReport;
};

/**
 * The rewrite that undoes another: the entries as they were, if nobody has written since. Otherwise each owner gets back
 * what the recipient still owns of it. Undefined: nothing can be given back, or the server would ignore the rewrite.
 */
export function planRollback({ before, after, to }: Migrated, live: Stored): Rewrite | undefined {
  const then = readManagedFields(before);
  const now = readManagedFields(live);
  if (now.undecodable.length > 0) return undefined;
  if (live.metadata.resourceVersion === after.metadata.resourceVersion) return rewriteOf(then.claims, []);
  const moved = setsOf(readManagedFields(after));
  const current = setsOf(now);
  const setIn = (sets: ReadonlyMap<string, FieldSet>, owner: Owner): FieldSet =>
    sets.get(identityOf(owner)) ?? FieldSet.EMPTY;
  const held = setIn(current, to);
  const given = then.claims
    .filter(({ owner }) => identityOf(owner) !== identityOf(to))
    .map(({ owner, set }) => ({
      owner,
      set: set.difference(setIn(moved, owner)).intersection(held),
    }))
    .filter(({ set }) => !set.isEmpty);
  if (given.length === 0) return undefined;
  const gained = setIn(moved, to).difference(setIn(setsOf(then), to));
  const all = given.reduce((sum, { set }) => sum.union(set), FieldSet.EMPTY);
  return rewriteOf(now.claims, [
    ...given.map(({ owner, set }) => ({ owner, set: set.union(setIn(current, owner)) })),
    { owner: to, set: held.difference(gained.intersection(all)) },
  ]);
}

function setsOf({ claims }: Claims): ReadonlyMap<string, FieldSet> {
  return new Map(claims.map(({ owner, set }) => [identityOf(owner), set]));
}
