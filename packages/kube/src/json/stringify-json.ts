import { isJsonArray, type Json, type JsonObject } from './json.ts';

/** Writes compact JSON, keys in the object's order. `bigint` becomes an integer literal. */
export function stringifyJson(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify throws for exactly one value that a Json may have: a bigint.
    return write(value, Object.keys);
  }
}

/**
 * Writes compact JSON with keys in the order of their code points. Two values are {@link jsonEqual} if and only if
 * their canonical forms are equal.
 */
export function canonicalJson(value: Json): string {
  return write(value, sortedKeys);
}

function write(value: Json, keysOf: (object: JsonObject) => string[]): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return writeNumber(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map((item) => write(item, keysOf)).join(',')}]`;
  let out = '';
  for (const key of keysOf(value)) {
    out += `${out === '' ? '' : ','}${JSON.stringify(key)}:${write(value[key] ?? null, keysOf)}`;
  }
  return `{${out}}`;
}

/** A float with an integral value beyond 2^53 is written as that integer, so that it equals the bigint. */
function writeNumber(value: number): string {
  const exact = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 2 ** 63;
  return exact ? BigInt(value).toString() : JSON.stringify(value);
}

function sortedKeys(object: JsonObject): string[] {
  return Object.keys(object).sort(compareCodePoints);
}

/** The order of Go's sorted maps (UTF-8 bytes), which differs from UTF-16's beyond the basic plane only. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x >= 0xd800 && y >= 0xd800)
      return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
