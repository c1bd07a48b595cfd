import { type Environment, Optional } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { celEquals } from '../cel-equals.ts';
import { celKey } from '../cel-key.ts';
import { failed } from '../failed.ts';
import { compareValues } from './compare-values.ts';
import { registerNamespace } from './register-namespace.ts';

type Values = Iterable<unknown>;

/** The types whose lists have a sum. */
const SUMMED = ['int', 'uint', 'double', 'google.protobuf.Duration'];

/** Kubernetes' functions on lists, and cel-go's on lists taken as sets. */
export function registerLists(environment: Environment): void {
  environment
    .registerFunction('list<A>.isSorted(): bool', isSorted)
    .registerFunction('list<A>.min(): A', (list: Values) => extreme(list, 'min', -1))
    .registerFunction('list<A>.max(): A', (list: Values) => extreme(list, 'max', 1))
    .registerFunction('list<A>.firstIndexOf(A): int', (list: Values, value: unknown) =>
      BigInt([...list].findIndex((item) => celEquals(item, value))),
    )
    .registerFunction('list<A>.finalIndexOf(A): int', (list: Values, value: unknown) =>
      BigInt([...list].findLastIndex((item) => celEquals(item, value))),
    );
  for (const type of SUMMED) environment.registerFunction(`list<${type}>.sum(): ${type}`, sum);
  registerSequences(environment);
  const sets = registerNamespace(environment, 'sets');
  environment
    .registerFunction(`${sets}.contains(list<A>, list<A>): bool`, (_: unknown, a: Values, b: Values) =>
      contains(a, b),
    )
    .registerFunction(
      `${sets}.equivalent(list<A>, list<A>): bool`,
      (_: unknown, a: Values, b: Values) => contains(a, b) && contains(b, a),
    )
    .registerFunction(`${sets}.intersects(list<A>, list<A>): bool`, (_: unknown, a: Values, b: Values) =>
      intersects(a, b),
    );
}

/** cel-go's list extensions, version 3. */
function registerSequences(environment: Environment): void {
  const lists = registerNamespace(environment, 'lists');
  environment
    .registerFunction(`${lists}.range(int): list<int>`, (_: unknown, size: bigint) =>
      Array.from({ length: sizeOf(size) }, (_, index) => BigInt(index)),
    )
    .registerFunction('list<A>.sort(): list<A>', (list: Values) => [...list].sort(compareValues))
    .registerFunction('list<A>.reverse(): list<A>', (list: Values) => [...list].reverse())
    .registerFunction('list<A>.distinct(): list<A>', distinct)
    .registerFunction('list<A>.slice(int, int): list<A>', slice)
    .registerFunction('list.flatten(): list<dyn>', (list: Values) => flatten(list, 1n))
    .registerFunction('list.flatten(int): list<dyn>', flatten)
    .registerFunction('list<A>.first(): optional<A>', (list: Values) => Optional.of([...list][0]))
    .registerFunction('list<A>.last(): optional<A>', (list: Values) => Optional.of([...list].at(-1)));
}

function distinct(list: Values): unknown[] {
  const byKey = new Map<string, unknown>();
  for (const item of list) {
    const key = celKey(item);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return [...byKey.values()];
}

function slice(list: Values, start: bigint, end: bigint): unknown[] {
  const items = [...list];
  if (start < 0n || end < 0n) throw failed(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw failed(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(items.length))
    throw failed(`cannot slice(${start}, ${end}), list is length ${items.length}`);
  return items.slice(Number(start), Number(end));
}

function flatten(list: Values, depth: bigint): unknown[] {
  if (depth < 0n) throw failed('level must be non-negative');
  return [...list].flatMap((item) =>
    depth > 0n && (Array.isArray(item) || item instanceof Set) ? flatten(item, depth - 1n) : [item],
  );
}

function sizeOf(size: bigint): number {
  if (size > 1_000_000n) throw failed('operation cancelled: actual cost limit exceeded');
  return Math.max(0, Number(size));
}

function contains(list: Values, values: Values): boolean {
  const keys = keysOf(list);
  return Array.from(values, celKey).every((key) => keys.has(key));
}

function intersects(list: Values, values: Values): boolean {
  const keys = keysOf(list);
  return Array.from(values, celKey).some((key) => keys.has(key));
}

function keysOf(list: Values): ReadonlySet<string> {
  return new Set(Array.from(list, celKey));
}

function isSorted(list: Values): boolean {
  const items = [...list];
  return items.every((item, index) => index === 0 || compareValues(items[index - 1], item) <= 0);
}

function extreme(list: Values, name: string, sign: 1 | -1): unknown {
  const items = [...list];
  if (items.length === 0) throw failed(`${name} called on empty list`);
  return items.reduce((best, item) => (compareValues(item, best) * sign > 0 ? item : best));
}

function sum(list: Values): unknown {
  const items = [...list];
  if (items.every((item) => typeof item === 'bigint')) {
    const total = items.reduce((left, item) => left + item, 0n);
    if (BigInt.asIntN(64, total) !== total) throw failed('integer overflow');
    return total;
  }
  if (items.every((item) => item instanceof Duration))
    return items.reduce((left, item) => left.addDuration(item), new Duration(0n, 0));
  if (items.every((item) => item instanceof UnsignedInt))
    return new UnsignedInt(items.reduce((left, item) => left + item.valueOf(), 0n));
  return items.reduce<number>((left, item) => left + Number(item), 0);
}
