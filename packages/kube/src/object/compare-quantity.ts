import { formatQuantity } from './format-quantity.ts';
import { parseQuantity } from './parse-quantity.ts';
import { type Quantity, rescale } from './quantity.ts';

/** The form in which an API server keeps a quantity: `0.5` → `500m`, `1000m` → `1`, `1024Ki` → `1Mi`. */
export function canonicalQuantity(text: string): string {
  return formatQuantity(parseQuantity(text));
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compareQuantity(a: string | Quantity, b: string | Quantity): number {
  const left = typeof a === 'string' ? parseQuantity(a) : a;
  const right = typeof b === 'string' ? parseQuantity(b) : b;
  const scale = Math.max(left.scale, right.scale);
  const difference = rescale(left, scale) - rescale(right, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
