import { compareText, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { canonicalManagedFields } from '../support/canonical.ts';

/**
 * Makes the responses of two servers comparable: uids and resourceVersions become numbers in the order
 * in which they were first seen, times only say that there is one, managed fields lose their order.
 */
export type Normaliser = (value: Json) => Json;

const TIMES = new Set(['creationTimestamp', 'deletionTimestamp', 'time', 'lastTransitionTime']);
/** A whole object in a message, with all its times, versions and uids. */
const EMBEDDED_OBJECT = /"\{\\"(?:[^"\\]|\\.){100,}"/g;
/** A typed object's faults are looked for in the order of a Go map, and the search may end at the first. */
const TYPED_ERRORS = /^(failed to create typed .*?; .*?\)):[^]*/;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
/** Where a message names a resourceVersion. */
const VERSION = /(ResourceVersion in (?:the )?(?:precondition|object meta|record):? \(?)(\d+)/g;
/** Unknown fields in a row: of a struct that a JSON patch moved, Go reports them in the order of the struct. */
const FIELD_FAULTS = /(?:unknown|duplicate) field "[^"]*"(?:, (?:unknown|duplicate) field "[^"]*")+/g;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

export function createNormaliser(): Normaliser {
  const uids = new Map<string, string>();
  const versions = new Map<string, string>();
  const numbered = (seen: Map<string, string>, key: string, prefix: string): string => {
    const known = seen.get(key) ?? `<${prefix}${seen.size + 1}>`;
    seen.set(key, known);
    return known;
  };
  const text = (value: string): string =>
    value
      .replaceAll(EMBEDDED_OBJECT, '<object>')
      .replaceAll(FIELD_FAULTS, (faults) => faults.split(', ').toSorted().join(', '))
      .replaceAll(UID, (uid) => numbered(uids, uid, 'uid'))
      .replaceAll(
        VERSION,
        (_, before: string, version: string) => before + numbered(versions, version, 'rv'),
      );
  const member = (name: string, value: Json): Json => {
    if (name === 'managedFields') return normalise(withTimePresence(value));
    if (name === 'resourceVersion' && typeof value === 'string') return numbered(versions, value, 'rv');
    if (TIMES.has(name) && typeof value === 'string') return '<time>';
    return normalise(value);
  };
  const normalise = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (isJsonArray(value)) return value.map(normalise);
    if (!isJsonObject(value)) return value;
    if (value['kind'] === 'Status' && value['status'] === 'Failure') return members(unordered(value));
    return members(value);
  };
  const members = (value: JsonObject): Json => {
    const names = Object.keys(value).toSorted();
    return Object.fromEntries(names.map((name) => [name, member(name, value[name] ?? null)]));
  };
  return normalise;
}

/** Canonical managed fields that still show which entries have a time. */
function withTimePresence(entries: Json): Json {
  if (!isJsonArray(entries)) return entries;
  const marked = entries.map((entry) =>
    isJsonObject(entry) && entry['time'] !== undefined ? { ...entry, timed: true } : entry,
  );
  return canonicalManagedFields(marked);
}

/** Several errors from one Go map are reported in any order. */
function unordered(status: JsonObject): JsonObject {
  const { message, details } = status;
  const told =
    typeof message === 'string'
      ? message.replaceAll(EMBEDDED_OBJECT, '<object>').replaceAll(TIME, '<time>').replace(TYPED_ERRORS, '$1')
      : '';
  const parts = told.split(/\n| \[|\]|, (?=[\w.[\]<>]+: )|(?=conflicts? with )/);
  const causes = isJsonObject(details) && isJsonArray(details['causes']) ? details['causes'] : [];
  const sortedCauses = causes.toSorted((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)));
  return {
    ...status,
    message: parts.toSorted(),
    details: { ...(isJsonObject(details) ? details : {}), causes: sortedCauses },
  };
}
