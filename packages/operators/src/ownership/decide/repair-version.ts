import type { ManagedFieldsEntry, Status, Stored } from '@kubewright/kube';
import type { FieldSet } from '@kubewright/kube/fields';
import { describeOwner, identityOf, readManagedFields } from '../read-managed-fields.ts';
import type { Rewrite } from './rewrite.ts';

/** An apply is refused with this where an entry is at a version that the CustomResourceDefinition no longer has. */
const REMOVED_VERSION = /^request to convert CR to an invalid group\/version: (\S+)$/;

/** The version of an entry because of which the server rejects every apply. */
export function removedVersion({ message = '' }: Status): string | undefined {
  return REMOVED_VERSION.exec(message)?.[1];
}

export type VersionRepair = { readonly rewrite: Rewrite; readonly message: string };

/**
 * The rewrite after which the object can be applied again: entries at the removed version become entries at that of the
 * manifest. Whoever owns a field keeps it. Until then every apply fails, and any other write drops all ownership.
 * Undefined: the refusal has another reason, or the server would ignore the rewrite.
 */
export function planRepair(live: Stored, refusal: Status, apiVersion: string): VersionRepair | undefined {
  const removed = removedVersion(refusal);
  const { claims, undecodable } = readManagedFields(live);
  const owners = claims.map(({ owner }) => owner).filter((owner) => owner.apiVersion === removed);
  if (owners.length === 0 || removed === apiVersion || undecodable.length > 0) return undefined;
  const entries = new Map<string, ManagedFieldsEntry>();
  const expected = new Map<string, FieldSet>();
  for (const { owner, entry, set } of claims) {
    const isRemoved = owner.apiVersion === removed;
    const identity = identityOf(isRemoved ? { ...owner, apiVersion } : owner);
    const all = expected.get(identity)?.union(set) ?? set;
    expected.set(identity, all);
    entries.set(identity, { ...entry, ...(isRemoved ? { apiVersion } : {}), fieldsV1: all.toJson() });
  }
  const names = [...new Set(owners.map((owner) => describeOwner(owner)))].join(', ');
  const message = `version ${removed} no longer exists: what ${names} owned there is now owned at ${apiVersion}`;
  return { rewrite: { entries: [...entries.values()], expected }, message };
}
