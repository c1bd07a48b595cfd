import { keysOfList } from './keyed-list.ts';

/** Equality of CEL values: numbers by value whatever their type, lists in order, sets and maps without. */
export function celEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNumeric(a) && isNumeric(b)) return Number(a) === Number(b);
  return isObject(a) && isObject(b) && objectsEqual(a, b);
}

function objectsEqual(a: object, b: object): boolean {
  if (a instanceof Map) return b instanceof Map && mapsEqual(a, b);
  if (isUnordered(a) || isUnordered(b)) return setsEqual(a, b);
  if (isIterable(a)) return isIterable(b) && listsEqual([...a], [...b]);
  const plain: unknown = a.valueOf();
  return a.constructor === b.constructor && !isObject(plain) && plain === b.valueOf();
}

function isUnordered(list: object): boolean {
  return list instanceof Set || keysOfList(list) !== undefined;
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
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

function setsEqual(a: object, b: object): boolean {
  if (!isIterable(a) || !isIterable(b)) return false;
  const [left, right] = [[...a], [...b]];
  return left.length === right.length && left.every((item) => right.some((other) => celEquals(item, other)));
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}
