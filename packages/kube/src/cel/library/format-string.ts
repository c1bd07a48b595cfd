import { type Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { failed } from '../failed.ts';
import { nameOfType, typeName } from '../type-name.ts';
import { formatDouble } from './format-double.ts';
import { formatDuration } from './format-duration.ts';
import { formatTemplate } from './format-template.ts';
import { formatTimestamp } from './format-timestamp.ts';
import { decodeUtf8 } from './decode-utf8.ts';

/** cel-go's `string.format`: `%s %d %f %e %b %x %X %o %%`, with a precision for the floats. */
export function formatString(template: string, values: Iterable<unknown>): string {
  const list = [...values];
  return formatTemplate(template, list.length, ({ verb, precision, index }) =>
    (FORMATTERS[verb] as Formatter)(list[index], precision ?? 6),
  );
}

type Formatter = (value: unknown, precision: number) => string;

/** What a verb takes, as its error says it. */
export const TAKES: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

const FORMATTERS: Readonly<Record<string, Formatter>> = {
  s: formatValue,
  d: (value) => inRadix('d', value, 10),
  f: (value, precision) => fixed(double('f', value), precision),
  e: (value, width) => scientific(double('e', value)).padStart(Math.min(width, MAX_WIDTH)),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : inRadix('b', value, 2)),
  x: hexadecimal,
  X: (value) => hexadecimal(value).toUpperCase(),
  o: (value) => inRadix('o', value, 8),
};

const MAX_WIDTH = 1000;

function rejected(verb: string, value: unknown): Error {
  return failed(`error during formatting: ${TAKES[verb]}, was given ${typeName(value)}`);
}

function inRadix(verb: string, value: unknown, radix: number): string {
  const integer = value instanceof UnsignedInt ? value.valueOf() : value;
  if (typeof integer !== 'bigint') throw rejected(verb, value);
  return integer.toString(radix);
}

function double(verb: string, value: unknown): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  throw rejected(verb, value);
}

/** With the separators of en-US, which is the locale of Kubernetes' library. */
function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return infinite(value);
  const [whole = '', fraction] = roundToEven(Math.abs(value), Math.min(digits, MAX_DIGITS)).split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return `${value < 0 ? '-' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** As many as JavaScript writes; it writes them exactly. */
const MAX_DIGITS = 100;

/** `toFixed` rounds up what is exactly half way; Go rounds it to an even digit. */
function roundToEven(value: number, digits: number): string {
  if (value >= 1e21) return `${BigInt(value)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
  const rounded = value.toFixed(digits);
  const exact = value.toFixed(MAX_DIGITS);
  const cut = exact.length - MAX_DIGITS + digits;
  const isHalfWay = /^50*$/.test(exact.slice(cut));
  const truncated = digits > 0 ? exact.slice(0, cut) : exact.slice(0, cut - 1);
  return isHalfWay && Number(truncated.at(-1)) % 2 === 0 ? truncated : rounded;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `1.234500×10⁰³`. Kubernetes' library takes the precision for a width: there are six digits always. */
function scientific(value: number): string {
  if (!Number.isFinite(value)) return infinite(value);
  const [digits = '', power = ''] = value.toExponential(6).split('e');
  const exponent = power.slice(1).padStart(2, '0');
  const raised = exponent.replaceAll(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? '');
  return `${digits}×10${power.startsWith('-') ? '⁻' : ''}${raised}`;
}

function infinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞';
}

function hexadecimal(value: unknown): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (!(bytes instanceof Uint8Array)) return inRadix('x', value, 16);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** By the name of the type. */
const VALUES: Readonly<Record<string, (value: never) => string>> = {
  null_type: () => 'null',
  type: ({ name }: { readonly name: string }) => nameOfType(name),
  double: formatDouble,
  bytes: decodeUtf8,
  list: (value: Iterable<unknown>) => `[${Array.from(value, formatMember).join(', ')}]`,
  map: formatMap,
  'google.protobuf.Timestamp': formatTimestamp,
  'google.protobuf.Duration': formatDuration,
  string: String,
  bool: String,
  int: String,
  uint: String,
};

function formatValue(value: unknown): string {
  const name = typeName(value);
  const format = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  if (format === undefined) throw rejected('s', value);
  return format(value as never);
}

/** Members of lists and maps are written as an expression would have them. */
function formatMember(value: unknown): string {
  const name = typeName(value);
  switch (name) {
    case 'string':
      return JSON.stringify(value);
    case 'bytes':
      return `b${JSON.stringify(decodeUtf8(value as Uint8Array))}`;
    case 'double':
      return Number.isFinite(value)
        ? (value as number).toFixed(6)
        : JSON.stringify(formatDouble(value as number));
    case 'google.protobuf.Timestamp':
      return `timestamp("${formatTimestamp(value as Date)}")`;
    case 'google.protobuf.Duration':
      return `duration("${formatDuration(value as Duration)}")`;
    default:
      if (!MEMBERS.has(name)) throw failed(`error during formatting: no formatting function for ${name}`);
      return formatValue(value);
  }
}

const MEMBERS: ReadonlySet<string> = new Set(['int', 'uint', 'bool', 'null_type', 'type', 'list', 'map']);
const KEYS: ReadonlySet<string> = new Set(['string', 'bool', 'int', 'uint']);

function formatMap(map: Map<unknown, unknown>): string {
  const pairs = Array.from(map, ([key, value]): [string, string] => {
    const name = typeName(key);
    if (!KEYS.has(name))
      throw failed(`error during formatting: no formatting function for map key of type ${name}`);
    return [formatMember(key), formatMember(value)];
  });
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
