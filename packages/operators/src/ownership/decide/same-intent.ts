import { type Json, jsonEqual, type KubeObject, type Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { ownClaim, readManagedFields } from '../read-managed-fields.ts';

/**
 * Whether an apply would change nothing that matters. Compares two responses of the server, so both are canonical;
 * ignores status, other managers' fields, and metadata that every write changes. `kept` are fields that the manager keeps
 * although it does not apply them any more.
 */
export function sameIntent(
  live: Stored,
  result: Stored,
  manager: string,
  kept: FieldSet = FieldSet.EMPTY,
): boolean {
  return sameContent(live, result) && sameClaim(live, result, { manager, kept });
}

/** The same of the values alone, whoever owns them. */
export function sameContent(live: Stored, result: Stored): boolean {
  return jsonEqual(comparable(live), comparable(result));
}

function comparable(object: KubeObject): Json {
  const { status: _status, metadata, ...rest } = object;
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...meta } = metadata;
  return { ...rest, metadata: meta };
}

function sameClaim(
  live: Stored,
  result: Stored,
  { manager, kept }: { readonly manager: string; readonly kept: FieldSet },
): boolean {
  const before = ownClaim(readManagedFields(live).claims, manager);
  const after = ownClaim(readManagedFields(result).claims, manager);
  if (before === undefined) return after === undefined;
  if (after === undefined) return before.set.equals(kept);
  return before.set.equals(after.set.union(kept)) && before.owner.apiVersion === after.owner.apiVersion;
}
