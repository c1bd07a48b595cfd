/**
 * A JSON value as Kubernetes sees it. Integers beyond ±(2^53-1) are `bigint`, every other number is `number`:
 * an integer is never rounded. `undefined` never occurs inside a value.
 *
 * Objects come from outside and are hostile: read with `Object.hasOwn`, write with {@link setOwn}.
 */
export type Json = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
export type JsonObject = { readonly [key: string]: Json };

/** True for a JSON object: not an array, not null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a JSON array. */
export function isJsonArray(value: Json | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** The own property `key` of `object`, never one inherited from a prototype. */
export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets `key` on an object under construction. `__proto__` becomes an ordinary own property. */
export function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** The object with what `change` makes of each member, without those of which it makes nothing: the same one if nothing changes. */
export function mapMembers(
  object: JsonObject,
  change: (key: string, value: Json) => Json | undefined,
): JsonObject {
  let changed: Record<string, Json> | undefined;
  for (const [key, value] of Object.entries(object)) {
    const next = change(key, value);
    if (next !== value) changed ??= membersBefore(object, key);
    if (changed !== undefined && next !== undefined) setOwn(changed, key, next);
  }
  return changed ?? object;
}

function membersBefore(object: JsonObject, end: string): Record<string, Json> {
  const members: Record<string, Json> = {};
  for (const [key, value] of Object.entries(object)) {
    if (key === end) break;
    setOwn(members, key, value);
  }
  return members;
}
