import { compareCodePoints } from '../json/compare-code-points.ts';
import { isJsonArray, type Json } from '../json/json.ts';
import { formatGoFloat } from './format-go-float.ts';
import { quoteGo } from './quote-go.ts';

/** A value as Go's `%#v` prints it: `map[string]interface {}{"a":[]interface {}{1, "x"}}`. */
export function formatGoSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quoteGo(value);
  if (typeof value === 'number') return formatGoFloat(value);
  if (typeof value !== 'object') return String(value);
  if (isJsonArray(value)) return `[]interface {}{${value.map(formatGoSyntax).join(', ')}}`;
  const keys = Object.keys(value).sort(compareCodePoints);
  const members = keys.map((key) => `${quoteGo(key)}:${formatGoSyntax(value[key] ?? null)}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}

/** The name of a value's Go type, as `%T` prints it. */
export function goTypeOf(value: Json): string {
  if (value === null) return '<nil>';
  if (isJsonArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
      return Number.isInteger(Number(value)) ? 'int64' : 'float64';
  }
}
