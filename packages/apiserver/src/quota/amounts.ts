import { compareText, type Json, type JsonObject } from '@kubewright/kube';
import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  negateQuantity,
  parseQuantity,
} from '@kubewright/kube/quantity';

/** Amounts by the name of what is counted. */
export type Amounts = ReadonlyMap<string, string>;

export function amountsIn(list: JsonObject): Amounts {
  const entries = Object.entries(list);
  return new Map(entries.map(([name, amount]) => [name, typeof amount === 'string' ? amount : '0']));
}

export function amountsAsJson(amounts: Amounts): JsonObject {
  return Object.fromEntries<Json>(sorted(amounts));
}

function sorted(amounts: Amounts): readonly (readonly [string, string])[] {
  return [...amounts].sort(([a], [b]) => compareText(a, b));
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? amount : plus(before, amount));
  }
  return sum;
}

function plus(a: string, b: string): string {
  return formatQuantity(addQuantity(parseQuantity(a), parseQuantity(b)));
}

/** What `a` is more than `b`; nothing is below zero. */
export function growth(a: Amounts, b: Amounts): Amounts {
  return new Map(
    [...a].map(([name, amount]) => {
      const less = formatQuantity(
        addQuantity(parseQuantity(amount), negateQuantity(parseQuantity(b.get(name) ?? '0'))),
      );
      return [name, compareQuantity(less, '0') > 0 ? less : '0'];
    }),
  );
}

export function amountsOf(amounts: Amounts, names: Iterable<string>): Amounts {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}

export function withoutZeros(amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([, amount]) => compareQuantity(amount, '0') !== 0));
}

export function sameAmounts(a: Amounts, b: Amounts): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([name, amount]) => {
    const other = b.get(name);
    return other !== undefined && compareQuantity(amount, other) === 0;
  });
}

/** `cpu=1,memory=2Gi` */
export function formatAmounts(amounts: Amounts): string {
  return sorted(amounts)
    .map(([name, amount]) => `${name}=${amount}`)
    .join(',');
}
