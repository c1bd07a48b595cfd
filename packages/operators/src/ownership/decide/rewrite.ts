import type { FieldSet } from '@kubewright/kube/fields';
import { type Json, type ManagedFieldsEntry, type Stored } from '@kubewright/kube';
import {
  type Claim,
  identityOf,
  type OwnClaim,
  type Owner,
  readManagedFields,
} from '../read-managed-fields.ts';

/** A new `metadata.managedFields`, and what the response must have if the server accepts it. */
export type Rewrite = {
  readonly entries: readonly ManagedFieldsEntry[];
  /** Field set per identity ({@link identityOf}); identities that are absent here must be gone. */
  readonly expected: ReadonlyMap<string, FieldSet>;
};

/**
 * Builds the entries: our entry becomes `ours`, other claims become what `stripped` says of them, the rest is passed
 * through as it came. An entry that would be empty is left out, because the server reads an empty set as a deletion.
 *
 * Invariant: what is taken from others is in `ours`. Claims that are only stripped leave the field without an owner,
 * and the next apply of anybody who owns something beside it deletes the field.
 */
export function buildRewrite(
  claims: readonly Claim[],
  own: Owner,
  ours: FieldSet,
  stripped: ReadonlyMap<Claim, FieldSet>,
): Rewrite {
  for (const set of stripped.values()) {
    if (!set.difference(ours).isEmpty)
      throw new RangeError('a stripped claim would be left without an owner');
  }
  const next = [...stripped].map(([{ owner, set }, taken]) => ({ owner, set: set.difference(taken) }));
  return rewriteOf(claims, [{ owner: own, set: ours }, ...next]);
}

/** The entries in which the owners of `next` own exactly that; all others are passed through as they came. */
export function rewriteOf(claims: readonly Claim[], next: readonly OwnClaim[]): Rewrite {
  const sets = new Map(next.map(({ owner, set }) => [identityOf(owner), set]));
  const known = new Set(claims.map(({ owner }) => identityOf(owner)));
  const entries: ManagedFieldsEntry[] = [];
  const expected = new Map<string, FieldSet>();
  for (const { owner, set } of next) {
    const identity = identityOf(owner);
    if (known.has(identity) || set.isEmpty) continue;
    expected.set(identity, set);
    entries.push(entryOf(owner, set));
  }
  for (const { owner, entry, set: before } of claims) {
    const identity = identityOf(owner);
    const set = sets.get(identity) ?? before;
    if (set.isEmpty) continue;
    expected.set(identity, set);
    entries.push(set.equals(before) ? entry : { ...entry, fieldsV1: set.toJson() });
  }
  return { entries, expected };
}

function entryOf(owner: Owner, set: FieldSet): ManagedFieldsEntry {
  return {
    manager: owner.manager,
    operation: owner.operation,
    apiVersion: owner.apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: set.toJson(),
  };
}

/** The JSON patch for a rewrite. A stale `resourceVersion` leads to a 409. */
export function rewritePatch(rewrite: Rewrite, resourceVersion: string): readonly Json[] {
  return [
    { op: 'replace', path: '/metadata/managedFields', value: rewrite.entries },
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
  ];
}

/**
 * Whether the server accepted the rewrite. If it cannot decode one entry it keeps the old ones and responds 200, so the
 * response is compared set by set, and the resourceVersion must have changed.
 */
export function tookEffect(rewrite: Rewrite, before: Stored, after: Stored): boolean {
  if (after.metadata.resourceVersion === before.metadata.resourceVersion) return false;
  const { claims, undecodable } = readManagedFields(after);
  if (undecodable.length > 0 || claims.length !== rewrite.expected.size) return false;
  return claims.every(({ owner, set }) => rewrite.expected.get(identityOf(owner))?.equals(set) === true);
}
