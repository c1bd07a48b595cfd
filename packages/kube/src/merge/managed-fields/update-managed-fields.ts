import { FieldSet } from '../../fields/field-set.ts';
import { KubeError } from '../../kube-error.ts';
import { formatTime } from '../../object/format-time.ts';
import type { KubeObject, ManagedFieldsEntry } from '../../object/kube-object.ts';
import { capUpdateManagers } from './cap-update-managers.ts';
import { claimsAfterWrite, reconcileManagers } from './claims-after-write.ts';
import { type Claims, decodeManagers, encodeManagers, managerIdentity } from './managers.ts';
import type { VersionedSchemas } from './versioned-schemas.ts';
import { stripMetadata } from './strip-metadata.ts';
import { checkedObject } from './typed-object.ts';

/** A write other than apply. */
export type UpdateOptions = {
  /** The object as it is; absent on create. */
  readonly live?: KubeObject | undefined;
  /** The object as it will be stored, with the managedFields that the client sent. */
  readonly object: KubeObject;
  readonly manager: string;
  /** Empty for the object itself; `status`, `scale`. */
  readonly subresource: string;
  readonly now: Date;
  readonly schemas: VersionedSchemas;
  /** Fields that the kind resets on every write (`GetResetFields`): no manager owns them. */
  readonly resetFields?: FieldSet;
};

/**
 * The object with the `metadata.managedFields` that a create, update or patch gives it. Never fails: an object whose
 * claims cannot be computed loses them, as on a server.
 * Source: apimachinery's `FieldManager.UpdateNoErrors`.
 */
export function updateManagedFields(options: UpdateOptions): KubeObject {
  try {
    const managers = managersOfRequest(options);
    return withManagers(options.object, updateManagers(options, managers));
  } catch (error) {
    if (error instanceof KubeError) return withManagers(options.object, new Map());
    throw error;
  }
}

/**
 * The managed fields to start from: the client's, where it sends valid ones; else the live object's.
 * A client that sends an empty list resets them; one that writes a subresource cannot rewrite them.
 */
function managersOfRequest({ live, object, subresource }: UpdateOptions): Map<string, Claims> {
  if (subresource !== '') return decodeOrNone(live);
  const sent = object.metadata.managedFields;
  if (isReset(sent)) return new Map();
  const managers = sent === undefined ? new Map<string, Claims>() : decodeOrNone(object);
  return managers.size === 0 ? decodeOrNone(live) : managers;
}

function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined || entries === null) return false;
  const [first] = entries;
  return (
    entries.length === 0 || (entries.length === 1 && first !== undefined && Object.keys(first).length === 0)
  );
}

function decodeOrNone(object: KubeObject | undefined): Map<string, Claims> {
  try {
    return decodeManagers(object?.metadata.managedFields);
  } catch (error) {
    if (error instanceof KubeError) return new Map();
    throw error;
  }
}

/** An object without managed fields gets none by an update: tracking begins with its creation or its first apply. */
function updateManagers(options: UpdateOptions, managers: Map<string, Claims>): Map<string, Claims> {
  if (managers.size === 0 && options.live !== undefined) return managers;
  const { object, schemas } = options;
  const live = options.live ?? schemas.empty(object.apiVersion);
  return claimUpdate({ ...options, live: withManagers(live, new Map()) }, managers);
}

/** Gives what a write changed to its manager, and takes it from the others. */
export function claimUpdate(
  options: UpdateOptions & { readonly live: KubeObject },
  known: Map<string, Claims>,
): Map<string, Claims> {
  const { schemas, resetFields = FieldSet.EMPTY } = options;
  const write = {
    schemas,
    live: checkedObject(schemas, options.live),
    next: checkedObject(schemas, withManagers(options.object, new Map())),
    resetFields,
    force: true,
  };
  const { managers, changes } = claimsAfterWrite(write, reconcileManagers(schemas, write.live, known), '');
  const changed = stripMetadata(changes.modified.union(changes.added).recursiveDifference(resetFields));
  if (!changed.isEmpty) addClaims(managers, options, changed);
  return capUpdateManagers(managers);
}

function addClaims(managers: Map<string, Claims>, options: UpdateOptions, changed: FieldSet): void {
  const writer = {
    manager: options.manager === '' ? 'unknown' : options.manager,
    operation: 'Update' as const,
    apiVersion: options.object.apiVersion,
    subresource: options.subresource,
    time: formatTime(options.now),
  };
  const identity = managerIdentity(writer);
  const previous = managers.get(identity)?.set ?? FieldSet.EMPTY;
  managers.set(identity, { ...writer, set: changed.union(previous) });
}

/** The object with these managers; without the field where there are none. */
export function withManagers(object: KubeObject, managers: ReadonlyMap<string, Claims>): KubeObject {
  const entries = encodeManagers(managers);
  if (entries === undefined && object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } };
}
