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

/** Keys mostly come in the same order on both sides; then none has to be looked up. */
function objectsEqual(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? '';
    if (key !== others[i] && !Object.hasOwn(b, key)) return false;
    if (!jsonEqual(a[key], b[key])) return false;
  }
  return true;
}
