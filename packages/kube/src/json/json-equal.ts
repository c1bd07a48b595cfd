import { isJsonArray, type Json, type JsonArray, type JsonObject } from './json.ts';

/** True if both are the same JSON: 80 equals 80.0, the order of keys does not matter, absent equals only absent. */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== typeof b) return equalAcrossNumberTypes(a, b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isJsonArray(a)) return isJsonArray(b) && arraysEqual(a, b);
  return !isJsonArray(b) && objectsEqual(a, b);
}

function equalAcrossNumberTypes(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && BigInt(b) === a;
  if (typeof a === 'number' && typeof b === 'bigint') return Number.isInteger(a) && BigInt(a) === b;
  return false;
}

function arraysEqual(a: JsonArray, b: JsonArray): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false;
  return true;
}

/** By `for` and `in`, which makes no list of the keys: most of what is compared is the same on both sides. */
function objectsEqual(a: JsonObject, b: JsonObject): boolean {
  let more = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !jsonEqual(a[key], b[key])) return false;
    more += 1;
  }
  for (const _ in b) more -= 1;
  return more === 0;
}
