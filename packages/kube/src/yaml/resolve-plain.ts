import { KubeError } from '../kube-error.ts';

/** A float or an unsigned integer beyond int64: as a key, and to a tag, they are something else than an integer. */
export type GoNumber =
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'uint'; readonly value: bigint };
/** What a scalar is to the Go library: an integer is a number or, where that would round it, a bigint. */
export type Resolved = null | boolean | string | number | bigint | GoNumber;

const PREFIX = 'tag:yaml.org,2002:';

export const MERGE_TAG = 'tag:yaml.org,2002:merge';
const RESOLVABLE: ReadonlySet<string> = new Set(
  ['bool', 'int', 'float', 'null', 'timestamp'].map((name) => PREFIX + name),
);

const WORDS: ReadonlyMap<string, Resolved> = new Map<string, Resolved>([
  ...words(true, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'),
  ...words(false, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'),
  ...words(null, '', '~', 'null', 'Null', 'NULL'),
  ...words(float(Number.NaN), '.nan', '.NaN', '.NAN'),
  ...words(float(Number.POSITIVE_INFINITY), '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'),
  ...words(float(Number.NEGATIVE_INFINITY), '-.inf', '-.Inf', '-.INF'),
]);

/** The characters with which a word or a number begins. */
const BEGINS_SPECIAL: ReadonlySet<string | undefined> = new Set('-+.~0123456789yYnNtTfFoO');
const BEGINS_NUMBER = /^[-+\d]/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const FLOAT_AFTER_DOT = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/;
const INTEGER = /^([-+]?)(?:0[xX]([\da-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9]\d*))$/;
/** Not what YAML writes, but what the Go library's reading of a sign after the prefix comes to. */
const SIGN_AFTER_PREFIX = /^0b([-+][01]+)$/;
const BASE64 = /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/;

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;
/** Of the longest integer in any base, binary: its digits, sign and prefix. Leading zeros are stripped before. */
const MOST_DIGITS = 64;

function words(value: Resolved, ...texts: readonly string[]): readonly (readonly [string, Resolved])[] {
  return texts.map((text) => [text, value]);
}

function float(value: number): GoNumber {
  return { kind: 'float', value };
}

/**
 * The value of a plain scalar without a tag: YAML 1.1 as the Go library reads it. It knows neither base 60 nor, for a value
 * of no type, timestamps.
 */
export function resolvePlain(text: string): Resolved {
  if (text !== '' && !BEGINS_SPECIAL.has(text[0])) return text;
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (text.startsWith('.'))
    return FLOAT_AFTER_DOT.test(text) ? (finite(text.replaceAll('_', '')) ?? text) : text;
  return BEGINS_NUMBER.test(text) ? (resolveNumber(text.replaceAll('_', '')) ?? text) : text;
}

/** The value of a scalar with a tag; one that the library does not know leaves the text as it is. Throws `InvalidYaml`. */
export function resolveTagged(tag: string, text: string): Resolved {
  if (tag === `${PREFIX}binary`) return decodeBinary(text);
  if (!RESOLVABLE.has(tag)) return text;
  if (tag === `${PREFIX}timestamp` && isTimestamp(text)) return text;
  const value = resolvePlain(text);
  const found = kindOf(value);
  const wanted = tag.slice(PREFIX.length);
  if (found === wanted) return value;
  if (wanted === 'float' && (typeof value === 'number' || typeof value === 'bigint'))
    return float(Number(value));
  throw new KubeError('InvalidYaml', `cannot decode !!${found} as a !!${wanted}`);
}

function kindOf(value: Resolved): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return value.kind === 'float' ? 'float' : 'int';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'str' : 'int';
}

function resolveNumber(digits: string): Resolved | undefined {
  const integer = resolveInteger(digits);
  if (integer !== undefined) return integer;
  if (FLOAT.test(digits)) return finite(digits);
  const [, signed] = SIGN_AFTER_PREFIX.exec(digits) ?? [];
  return signed === undefined ? undefined : integerOf(signed.slice(0, 1), `0b${signed.slice(1)}`);
}

function resolveInteger(digits: string): Resolved | undefined {
  const [, sign = '', hex, binary, octal, decimal] = INTEGER.exec(digits) ?? [];
  if (hex !== undefined) return integerOf(sign, `0x${hex}`);
  if (binary !== undefined) return integerOf(sign, `0b${binary}`);
  if (octal !== undefined) return integerOf(sign, `0o${octal}`);
  return decimal === undefined ? undefined : integerOf(sign, decimal);
}

/** Undefined for what 64 bits do not hold; without a sign, they hold twice as much. */
function integerOf(sign: string, literal: string): Resolved | undefined {
  const short = literal.replace(/^(0[xbo])0+(?=.)/, '$1');
  const safe = Number(short);
  if (Number.isSafeInteger(safe)) return sign === '-' ? 0 - safe : safe;
  if (short.length > MOST_DIGITS + 2) return undefined;
  const value = BigInt(short);
  if (sign === '-') return value <= MAX_INT64 + 1n ? -value : undefined;
  if (value <= MAX_INT64) return value;
  return sign === '' && value <= MAX_UINT64 ? { kind: 'uint', value } : undefined;
}

/** A number that overflows a float stays a text: short commit hashes are among them. */
function finite(text: string): GoNumber | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? float(value) : undefined;
}

function decodeBinary(text: string): string {
  const encoded = text.replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(encoded) || encoded.includes('_'))
    throw new KubeError('InvalidYaml', '!!binary value contains invalid base64 data');
  return Buffer.from(encoded, 'base64').toString('utf8');
}

const DATE = /^(\d{4})-(\d\d?)-(\d\d?)(?:([Tt ])(.*))?$/;
const CLOCK = /^(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(Z|[-+](?:[01]\d|2[0-4]):[0-5]\d)?$/;

/** A date that there is, alone or with a time of day: with a zone behind `T`, and without one behind a blank. */
function isTimestamp(text: string): boolean {
  const [, year, month, day, separator, rest = ''] = DATE.exec(text) ?? [];
  if (separator === undefined) return isMoment([year, month, day], []);
  const [, hour, minute, second, zone] = CLOCK.exec(rest) ?? [];
  return (separator === ' ') === (zone === undefined) && isMoment([year, month, day], [hour, minute, second]);
}

type Digits = readonly (string | undefined)[];

function isMoment(date: Digits, clock: Digits): boolean {
  const [year = Number.NaN, month = 0, day = 0] = date.map(Number);
  const [hour = 0, minute = 0, second = 0] = clock.map(Number);
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1, day);
  moment.setUTCHours(hour, minute, second);
  const parts = [moment.getUTCMonth() + 1, moment.getUTCDate(), moment.getUTCHours(), moment.getUTCMinutes()];
  return [...parts, moment.getUTCSeconds()].join() === [month, day, hour, minute, second].join();
}
