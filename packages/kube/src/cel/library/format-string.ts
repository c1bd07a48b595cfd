import { Duration } from '@marcbachmann/cel-js/evaluator';
import { failed } from '../failed.ts';

/** cel-go's `string.format`: `%s %d %f %e %b %x %X %o %%`, with a precision for the floats. */
export function formatString(template: string, values: Iterable<unknown>): string {
  const list = [...values];
  let used = 0;
  return template.replace(/%(?:\.(\d+))?(.)?/gs, (clause, precision: string | undefined, verb = '') => {
    if (verb === '%') return '%';
    if (used >= list.length) throw failed(`index ${used} out of range`);
    return formatClause(clause, verb as string, Number(precision ?? 6), list[used++]);
  });
}

type Formatter = (value: unknown, precision: number) => string;

const FORMATTERS = new Map<string, Formatter>([
  ['s', formatValue],
  ['d', (value) => integer(value, 10)],
  ['b', (value) => (typeof value === 'boolean' ? String(Number(value)) : integer(value, 2))],
  ['o', (value) => integer(value, 8)],
  ['x', hexadecimal],
  ['X', (value) => hexadecimal(value).toUpperCase()],
  ['f', (value, precision) => Number(value).toFixed(precision)],
  [
    'e',
    (value, precision) =>
      Number(value)
        .toExponential(precision)
        .replace(/e([+-])(\d)$/, 'e$10$2'),
  ],
]);

function formatClause(clause: string, verb: string, precision: number, value: unknown): string {
  const formatter = FORMATTERS.get(verb);
  if (!formatter) throw failed(`unrecognized formatting clause "${clause}"`);
  return formatter(value, precision);
}

function integer(value: unknown, radix: number): string {
  if (typeof value === 'bigint') return value.toString(radix);
  const plain: unknown = typeof value === 'object' && value !== null ? value.valueOf() : value;
  if (typeof plain === 'bigint') return plain.toString(radix);
  throw failed('error during formatting: integer clause can only be used on integers');
}

function hexadecimal(value: unknown): string {
  if (typeof value !== 'string') return integer(value, 16);
  return Array.from(new TextEncoder().encode(value), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (value instanceof Map) {
    const entries = Array.from(value, ([key, member]) => `${formatValue(key)}: ${formatValue(member)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  if (Symbol.iterator in value) return `[${[...(value as Iterable<unknown>)].map(formatValue).join(', ')}]`;
  return value instanceof Duration ? value.toString() : '';
}
