import { celKey } from './cel-key.ts';
import { keysOfList } from './keyed-list.ts';

/** Equality of CEL values: numbers by value across types, lists in order, sets and maps in any order. */
export function celEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && BigInt(b) === a;
  if (typeof a === 'number' && typeof b === 'bigint') return celEquals(b, a);
  return isObject(a) && isObject(b) && objectsEqual(a, b);
}

function objectsEqual(a: object, b: object): boolean {
  if (a instanceof Map) return b instanceof Map && mapsEqual(a, b);
  if (isIterable(a)) return isIterable(b) && collectionsEqual(a, b);
  const plain: unknown = a.valueOf();
  return a.constructor === b.constructor && !isObject(plain) && plain === b.valueOf();
}

function collectionsEqual(a: Iterable<unknown>, b: Iterable<unknown>): boolean {
  return isUnordered(a) || isUnordered(b) ? setsEqual([...a], [...b]) : listsEqual([...a], [...b]);
}

function isUnordered(list: object): boolean {
  return list instanceof Set || keysOfList(list) !== undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function mapsEqual(a: Map<unknown, unknown>, b: Map<unknown, unknown>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.has(key) && celEquals(value, b.get(key)));
}

function listsEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => celEquals(item, b[index]));
}

function setsEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  const keys = new Set(b.map(celKey));
  return a.every((item) => keys.has(celKey(item)));
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}
