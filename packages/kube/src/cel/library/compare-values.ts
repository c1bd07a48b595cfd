import { compareCodePoints } from '../../json/compare-code-points.ts';
import { failed } from '../failed.ts';
import { typeName } from '../type-name.ts';

type Comparable = number | bigint | boolean | Date;

/** The order of two values of one type. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeName(a) !== typeName(b)) throw failed('list elements must have the same type');
  if (typeof a === 'string') return compareCodePoints(a, b as string);
  const [left, right] = [a as Comparable, b as Comparable];
  return left < right ? -1 : left > right ? 1 : 0;
}
