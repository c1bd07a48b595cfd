import type { Environment } from '@marcbachmann/cel-js';
import { celEquals } from '../cel-equals.ts';
import { failed } from './failed.ts';
import { registerNamespace } from './namespace.ts';

type Values = Iterable<unknown>;
type Comparable = number | bigint | string | boolean | Date;

/** Kubernetes' functions on lists, and cel-go's on lists taken as sets. */
export function registerLists(environment: Environment): void {
  environment
    .registerFunction('list<A>.isSorted(): bool', isSorted)
    .registerFunction('list<A>.sum(): A', sum)
    .registerFunction('list<A>.min(): A', (list: Values) => extreme(list, 'min', -1))
    .registerFunction('list<A>.max(): A', (list: Values) => extreme(list, 'max', 1))
    .registerFunction('list<A>.indexOf(A): int', (list: Values, value: unknown) =>
      BigInt([...list].findIndex((item) => celEquals(item, value))),
    )
    .registerFunction('list<A>.lastIndexOf(A): int', (list: Values, value: unknown) =>
      BigInt([...list].findLastIndex((item) => celEquals(item, value))),
    );
  const sets = registerNamespace(environment, 'sets');
  environment
    .registerFunction(`${sets}.contains(list, list): bool`, (_: unknown, a: Values, b: Values) =>
      contains(a, b),
    )
    .registerFunction(
      `${sets}.equivalent(list, list): bool`,
      (_: unknown, a: Values, b: Values) => contains(a, b) && contains(b, a),
    )
    .registerFunction(`${sets}.intersects(list, list): bool`, (_: unknown, a: Values, b: Values) => {
      const list = [...a];
      return [...b].some((value) => list.some((item) => celEquals(item, value)));
    });
}

function contains(list: Values, values: Values): boolean {
  const items = [...list];
  return [...values].every((value) => items.some((item) => celEquals(item, value)));
}

function isSorted(list: Values): boolean {
  const items = [...list] as Comparable[];
  return items.every((item, index) => index === 0 || compare(items[index - 1] ?? item, item) <= 0);
}

function extreme(list: Values, name: string, sign: 1 | -1): unknown {
  const items = [...list] as Comparable[];
  if (items.length === 0) throw failed(`${name} called on empty list`);
  return items.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

function compare(a: Comparable, b: Comparable): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sum(list: Values): unknown {
  const items = [...list];
  if (items.every((item) => typeof item === 'bigint')) {
    const total = items.reduce((left, item) => left + item, 0n);
    if (BigInt.asIntN(64, total) !== total) throw failed('integer overflow');
    return total;
  }
  return items.reduce<number>((left, item) => left + Number(item), 0);
}
