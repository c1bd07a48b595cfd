import type { Environment } from '@marcbachmann/cel-js';
import { parseQuantity } from '../../object/parse-quantity.ts';
import { compareQuantity } from '../../object/compare-quantity.ts';
import {
  addQuantity,
  negateQuantity,
  type Quantity,
  quantityAsInteger,
  quantityAsNumber,
} from '../../object/quantity.ts';
import { failed } from '../failed.ts';
import { succeeds } from './succeeds.ts';

/** The library finds the type of a value by its constructor, so that an amount needs one. */
class CelQuantity {
  static readonly celName = 'kubernetes.Quantity';
  readonly amount: Quantity;
  constructor(amount: Quantity) {
    this.amount = amount;
  }
}

/** Kubernetes' `quantity()`, `isQuantity()` and the arithmetic on what they make. */
export function registerQuantities(environment: Environment): void {
  environment
    .registerType('kubernetes.Quantity', CelQuantity)
    .registerFunction(
      'quantity(string): kubernetes.Quantity',
      (text: string) => new CelQuantity(parseQuantity(text)),
    )
    .registerFunction('isQuantity(string): bool', (text: string) => succeeds(() => parseQuantity(text)))
    .registerFunction('sign(kubernetes.Quantity): int', ({ amount }: CelQuantity) =>
      amount.unscaled > 0n ? 1n : amount.unscaled < 0n ? -1n : 0n,
    )
    .registerFunction(
      'kubernetes.Quantity.isInteger(): bool',
      ({ amount }: CelQuantity) => int64(amount) !== undefined,
    )
    .registerFunction('kubernetes.Quantity.asInteger(): int', ({ amount }: CelQuantity) => {
      const integer = int64(amount);
      if (integer === undefined) throw failed('cannot convert value to integer');
      return integer;
    })
    .registerFunction('kubernetes.Quantity.asApproximateFloat(): double', ({ amount }: CelQuantity) =>
      quantityAsNumber(amount),
    );
  registerSums(environment);
  registerOrder(environment);
}

function registerSums(environment: Environment): void {
  const sum = (a: CelQuantity, b: Quantity): CelQuantity => new CelQuantity(addQuantity(a.amount, b));
  environment
    .registerFunction(
      'kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity',
      (a: CelQuantity, b: CelQuantity) => sum(a, b.amount),
    )
    .registerFunction('kubernetes.Quantity.add(int): kubernetes.Quantity', (a: CelQuantity, b: bigint) =>
      sum(a, integer(b)),
    )
    .registerFunction(
      'kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity',
      (a: CelQuantity, b: CelQuantity) => sum(a, negateQuantity(b.amount)),
    )
    .registerFunction('kubernetes.Quantity.sub(int): kubernetes.Quantity', (a: CelQuantity, b: bigint) =>
      sum(a, integer(-b)),
    );
}

function registerOrder(environment: Environment): void {
  const compare = (a: CelQuantity, b: CelQuantity): number => compareQuantity(a.amount, b.amount);
  environment
    .registerFunction(
      'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
      (a: CelQuantity, b: CelQuantity) => compare(a, b) < 0,
    )
    .registerFunction(
      'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
      (a: CelQuantity, b: CelQuantity) => compare(a, b) > 0,
    )
    .registerFunction(
      'kubernetes.Quantity.compareTo(kubernetes.Quantity): int',
      (a: CelQuantity, b: CelQuantity) => BigInt(compare(a, b)),
    )
    .registerOperator(
      'kubernetes.Quantity == kubernetes.Quantity',
      (a: CelQuantity, b: CelQuantity) => compare(a, b) === 0,
    );
}

function integer(value: bigint): Quantity {
  return { unscaled: value, scale: 0, format: 'decimal' };
}

function int64(amount: Quantity): bigint | undefined {
  const value = quantityAsInteger(amount);
  return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
}
