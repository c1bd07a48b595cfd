import { isJsonArray, type Json, type JsonObject } from './json.ts';
import { sortedKeys } from './sorted-keys.ts';

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
  if (isJsonArray(value)) return writeArray(value, keysOf);
  let out = '';
  for (const key of keysOf(value)) {
    out += `${out === '' ? '' : ','}${quoted(key)}:${write(value[key] ?? null, keysOf)}`;
  }
  return `{${out}}`;
}

function writeArray(values: readonly Json[], keysOf: (object: JsonObject) => string[]): string {
  let out = '';
  for (const value of values) out += `${out === '' ? '' : ','}${write(value, keysOf)}`;
  return `[${out}]`;
}

/** Keys as they are written: objects have few different ones. */
const known = new Map<string, string>();
const MOST_KNOWN = 1000;
/** Longer keys are quoted each time. */
const LONGEST_KNOWN = 64;

function quoted(key: string): string {
  const found = known.get(key);
  if (found !== undefined) return found;
  const text = JSON.stringify(key);
  if (key.length > LONGEST_KNOWN) return text;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, text);
  return text;
}

/** A float with an integral value beyond 2^53 is written as that integer, so that it equals the bigint. */
function writeNumber(value: number): string {
  const exact = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 2 ** 63;
  return exact ? BigInt(value).toString() : JSON.stringify(value);
}
