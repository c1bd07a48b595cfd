import { compareCodePoints } from '../json/compare-code-points.ts';
import { isJsonArray, type Json } from '../json/json.ts';
import { formatGoFloat } from './format-go-float.ts';

/** A value as Go's `%v` prints it: `map[a:1 b:[x y]]`. Some of Kubernetes' messages show values so. */
export function formatGoValue(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return formatGoFloat(value);
  if (typeof value !== 'object') return String(value);
  if (isJsonArray(value)) return `[${value.map(formatGoValue).join(' ')}]`;
  const keys = Object.keys(value).sort(compareCodePoints);
  return `map[${keys.map((key) => `${key}:${formatGoValue(value[key])}`).join(' ')}]`;
}
