import { FieldSet } from '../../fields/field-set.ts';
import { field, type Path } from '../../fields/path-element.ts';
import type { ManagedFieldsEntry } from '../../object/kube-object.ts';
import { type Claims, decodeManagers, encodeManagers } from './managers.ts';

const SCALE_VERSION = 'autoscaling/v1';
const SCALE_REPLICAS: Path = [field('spec'), field('replicas')];

/** Where a kind keeps its replicas, by version. Null where a version has no scale subresource. */
export type ReplicasPaths = Readonly<Record<string, Path | null>>;

/**
 * The managed fields of a scale subresource: those of the object's replicas.
 * Source: apimachinery's `ScaleHandler.ToSubresource`.
 */
export function managedFieldsOfScale(
  entries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): readonly ManagedFieldsEntry[] | undefined {
  const managers = new Map<string, Claims>();
  for (const [identity, claims] of decodeManagers(entries)) {
    const path = pathAt(paths, claims.apiVersion);
    if (path === undefined || path === null || !claims.set.has(path)) continue;
    managers.set(identity, { ...claims, apiVersion: SCALE_VERSION, set: FieldSet.of(SCALE_REPLICAS) });
  }
  return encodeManagers(managers);
}

/**
 * The managed fields of an object after a write of its scale at `apiVersion`: the owners of the scale's replicas own the
 * object's.
 * Source: apimachinery's `ScaleHandler.ToParent`.
 */
export function managedFieldsAfterScale(
  entries: readonly ManagedFieldsEntry[] | undefined,
  scaleEntries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
  apiVersion: string,
): readonly ManagedFieldsEntry[] | undefined {
  const scale = decodeManagers(scaleEntries);
  const parent = decodeManagers(entries);
  const managers = new Map<string, Claims>();
  for (const [identity, claims] of parent) {
    const kept = keptByScale(claims, pathAt(paths, claims.apiVersion), scale.has(identity));
    if (!kept.isEmpty) managers.set(identity, kept === claims.set ? claims : { ...claims, set: kept });
    if (hasReplicas(claims, paths)) scale.delete(identity);
  }
  const own = pathAt(paths, apiVersion) ?? undefined;
  if (own !== undefined) {
    for (const [identity, claims] of scale) {
      if (!claims.set.has(SCALE_REPLICAS)) continue;
      managers.set(identity, {
        ...withTime(claims, parent.get(identity)?.time),
        apiVersion,
        set: FieldSet.of(own),
      });
    }
  }
  return encodeManagers(managers);
}

/** What an entry keeps: its replicas only where its scale entry still has them. Unknown versions keep nothing. */
function keptByScale(claims: Claims, path: Path | null | undefined, hasScale: boolean): FieldSet {
  if (path === undefined) return FieldSet.EMPTY;
  return path === null || hasScale ? claims.set : claims.set.difference(FieldSet.of(path));
}

function hasReplicas(claims: Claims, paths: ReplicasPaths): boolean {
  const path = pathAt(paths, claims.apiVersion);
  return path !== undefined && path !== null && claims.set.has(path);
}

function withTime(claims: Claims, time: string | undefined): Claims {
  const { manager, operation, apiVersion, subresource, set } = claims;
  return { manager, operation, apiVersion, subresource, ...(time === undefined ? {} : { time }), set };
}

function pathAt(paths: ReplicasPaths, apiVersion: string): Path | null | undefined {
  return Object.hasOwn(paths, apiVersion) ? paths[apiVersion] : undefined;
}
