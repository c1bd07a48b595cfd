import {
  compareText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';

/**
 * Reading decoded built-in objects. Absent and null read as Go's zero value, as a strategy of the
 * original reads them: `''`, `0`, `false`, an empty list, an empty object.
 */
const NOTHING: JsonObject = Object.freeze({});
const NO_ITEMS: readonly never[] = Object.freeze([]);

/** The keys of `T` whose value is a `V`. */
export type KeyOf<T, V = unknown> = string &
  { [K in keyof T]-?: NonNullable<T[K]> extends V ? K : never }[keyof T];

/** True where a Go pointer would not be nil. */
export function has(object: JsonObject, key: string): boolean {
  const value = getOwn(object, key);
  return value !== undefined && value !== null;
}

export function valueAt(object: JsonObject, key: string): Json {
  return getOwn(object, key) ?? null;
}

/** The object under `key`, or undefined where a Go pointer would be nil. */
export function maybeObject(object: JsonObject, key: string): JsonObject | undefined {
  const value = getOwn(object, key);
  return isJsonObject(value) ? value : undefined;
}

export function objectAt(object: JsonObject, ...keys: readonly string[]): JsonObject {
  let current = object;
  for (const key of keys) current = maybeObject(current, key) ?? NOTHING;
  return current;
}

export function stringAt(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}

export function maybeString(object: JsonObject, key: string): string | undefined {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(object: JsonObject, key: string): number {
  return maybeNumber(object, key) ?? 0;
}

/** Bounds are all that is checked of numbers, so losing the low bits of a huge one is harmless. */
export function maybeNumber(object: JsonObject, key: string): number | undefined {
  const value = getOwn(object, key);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

export function maybeBoolean(object: JsonObject, key: string): boolean | undefined {
  const value = getOwn(object, key);
  return typeof value === 'boolean' ? value : undefined;
}

export function isTrue(object: JsonObject, key: string): boolean {
  return getOwn(object, key) === true;
}

export function itemsAt(object: JsonObject, key: string): readonly Json[] {
  const value = getOwn(object, key);
  return isJsonArray(value) ? value : NO_ITEMS;
}

/** A list of structs; a null item reads as an empty struct. */
export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  return itemsAt(object, key).map((item) => (isJsonObject(item) ? item : NOTHING));
}

export function stringsAt(object: JsonObject, key: string): readonly string[] {
  return itemsAt(object, key).map((item) => (typeof item === 'string' ? item : ''));
}

/** A map of strings as sorted entries: Go iterates over maps in random order. */
export function entriesAt(object: JsonObject, key: string): readonly (readonly [string, string])[] {
  return sortedEntries(objectAt(object, key)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : '',
  ]);
}

export function sortedEntries(object: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(object).sort(([a], [b]) => compareText(a, b));
}

/** An object's body as plain JSON; `metadata` differs from it in type only. */
export function bodyOf(object: KubeObject): JsonObject {
  return object;
}

export function specOf(object: KubeObject): JsonObject {
  return objectAt(bodyOf(object), 'spec');
}

export function statusOf(object: KubeObject): JsonObject {
  return objectAt(bodyOf(object), 'status');
}

export function metadataOf(object: KubeObject): JsonObject {
  return object.metadata;
}
