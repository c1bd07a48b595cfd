import { type Json, jsonEqual, type KubeObject, type Stored } from '@kubewright/kube';
import { ownClaim, readManagedFields } from '../read-managed-fields.ts';

/**
 * Whether an apply would change nothing that matters. Compares two responses of the server, so both are canonical;
 * ignores status, other managers' fields, and metadata that every write changes.
 */
export function sameIntent(live: Stored, result: Stored, manager: string): boolean {
  return sameContent(live, result) && sameClaim(live, result, manager);
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

function sameClaim(live: Stored, result: Stored, manager: string): boolean {
  const before = ownClaim(readManagedFields(live).claims, manager);
  const after = ownClaim(readManagedFields(result).claims, manager);
  if (before === undefined || after === undefined) return before === after;
  return before.set.equals(after.set) && before.owner.apiVersion === after.owner.apiVersion;
}
