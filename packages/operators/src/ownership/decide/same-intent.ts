import { type Json, jsonEqual, type KubeObject } from '@kubewright/kube';
import { ownClaim, readClaims } from './claims.ts';

/**
 * Whether an apply would change nothing that an apply is for. Compares two answers of the server, so both are in
 * canonical form; leaves out what others write (status, their claims) and what every write changes.
 */
export function sameIntent(live: KubeObject, result: KubeObject, manager: string): boolean {
  return jsonEqual(comparable(live), comparable(result)) && sameClaim(live, result, manager);
}

function comparable(object: KubeObject): Json {
  const { status: _status, metadata, ...rest } = object;
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...meta } = metadata;
  return { ...rest, metadata: meta };
}

function sameClaim(live: KubeObject, result: KubeObject, manager: string): boolean {
  const before = ownClaim(readClaims(live).claims, manager);
  const after = ownClaim(readClaims(result).claims, manager);
  if (before === undefined || after === undefined) return before === after;
  return before.set.equals(after.set) && before.claimant.apiVersion === after.claimant.apiVersion;
}
