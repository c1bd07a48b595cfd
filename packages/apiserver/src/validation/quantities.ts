import { compareQuantity, parseQuantity, quantityAsInteger, scaledQuantity } from '@kubewright/kube/quantity';
import { type Errors, invalid } from './errors.ts';

/** Quantities arrive in canonical form from decoding. */

export function isNegative(quantity: string): boolean {
  return compareQuantity(quantity, '0') < 0;
}

export function isPositive(quantity: string): boolean {
  return compareQuantity(quantity, '0') > 0;
}

/** A whole number of units. Anything finer than a thousandth has been rounded up to one. */
export function isWhole(quantity: string): boolean {
  return quantityAsInteger(parseQuantity(quantity)) !== undefined;
}

/** The value in thousandths, rounded away from zero. */
export function quantityMillis(quantity: string): bigint {
  return scaledQuantity(parseQuantity(quantity), 3);
}

/** `validateBasicResource`, which shows the quantity in whole units, rounded up. */
export function nonNegativeUnits(quantity: string, path: string): Errors {
  const units = scaledQuantity(parseQuantity(quantity), 0);
  return invalid(isNegative(quantity), path, units, 'must be a valid resource quantity');
}
