import { FieldSet } from '../../fields/field-set.ts';
import { compareText } from '../../json/compare-text.ts';
import type { JsonObject } from '../../json/json.ts';
import { KubeError } from '../../kube-error.ts';
import type { ManagedFieldsEntry } from '../../object/kube-object.ts';

/** The fields that one manager owns. */
export type Claims = {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339; absent for a first apply that changed nothing. */
  readonly time?: string;
  readonly set: FieldSet;
};

/** Owned fields by the identity of their manager. */
export type Managers = ReadonlyMap<string, Claims>;

/**
 * The identity of a manager: name, operation and subresource; for updates also the version, so that an applier has one
 * entry for all versions. The format is the server's, which sorts by it.
 */
export function managerIdentity(claims: Omit<Claims, 'set'>): string {
  return JSON.stringify({
    ...(claims.manager === '' ? {} : { manager: claims.manager }),
    operation: claims.operation,
    ...(claims.operation === 'Update' ? { apiVersion: claims.apiVersion } : {}),
    ...(claims.subresource === '' ? {} : { subresource: claims.subresource }),
  });
}

/** The fields of an entry. Throws `InvalidFieldsV1`. */
export function fieldSetOf(fieldsV1: JsonObject | undefined): FieldSet {
  return fieldsV1 === undefined ? FieldSet.EMPTY : FieldSet.parse(fieldsV1);
}

/** Reads `metadata.managedFields`. Throws `InvalidFieldsV1` where one entry is not as the server writes them. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[] | undefined): Map<string, Claims> {
  const managers = new Map<string, Claims>();
  for (const [index, entry] of (entries ?? []).entries()) {
    const claims = decodeEntry(entry, index);
    managers.set(managerIdentity(claims), claims);
  }
  return managers;
}

function decodeEntry(entry: ManagedFieldsEntry, index: number): Claims {
  return {
    manager: entry.manager ?? '',
    ...decodeType(entry, index),
    subresource: entry.subresource ?? '',
    ...(entry.time === undefined ? {} : { time: entry.time }),
    set: fieldSetOf(entry.fieldsV1),
  };
}

function decodeType(entry: ManagedFieldsEntry, index: number): Pick<Claims, 'operation' | 'apiVersion'> {
  const { operation, apiVersion = '', fieldsType = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') {
    throw undecodable('operation must be `Apply` or `Update`');
  }
  if (apiVersion === '') throw undecodable('apiVersion must not be empty');
  if (fieldsType === '') throw undecodable(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw undecodable(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  return { operation, apiVersion };
}

function undecodable(message: string): KubeError {
  return new KubeError('InvalidFieldsV1', message);
}

/** `metadata.managedFields` of managers, in the server's order; undefined where there are none. */
export function encodeManagers(managers: Managers): readonly ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(compareClaims).map(encodeEntry);
}

/** Put together field by field: entries made by spreading get a hidden class of their own each, as large as they are. */
function encodeEntry(claims: Claims): ManagedFieldsEntry {
  const entry: { -readonly [Field in keyof ManagedFieldsEntry]: ManagedFieldsEntry[Field] } = {};
  if (claims.manager !== '') entry.manager = claims.manager;
  entry.operation = claims.operation;
  entry.apiVersion = claims.apiVersion;
  if (claims.time !== undefined) entry.time = claims.time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = claims.set.toJson();
  if (claims.subresource !== '') entry.subresource = claims.subresource;
  return entry;
}

/** Seconds since the epoch; 0 where there is no time. */
export function timeOf(claims: Claims): number {
  return claims.time === undefined ? 0 : Math.floor(Date.parse(claims.time) / 1000);
}

function compareClaims(a: Claims, b: Claims): number {
  return (
    compareText(a.operation, b.operation) ||
    timeOf(a) - timeOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}
