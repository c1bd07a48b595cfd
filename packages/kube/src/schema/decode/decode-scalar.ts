import { errorText } from '../../error-text.ts';
import { type Json, isJsonArray } from '../../json/json.ts';
import { KubeError } from '../../kube-error.ts';
import { canonicalQuantity } from '../../object/compare-quantity.ts';
import { canonicalMicroTime, canonicalTime } from '../../object/format-time.ts';
import type { ScalarKind, ScalarNode } from '../schema-node.ts';
import { checkBase64 } from './check-base64.ts';
import { type DecodeContext, type GoPlace, reportError, typeError } from './decode-context.ts';

/** JSON's name for what `value` is, as Go's decoding errors write it. */
export function jsonKind(value: Json): string {
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'number';
    default:
      return typeof value;
  }
}

/** What is read instead of a value that does not fit. */
const zeros: Readonly<Record<ScalarKind, Json>> = {
  string: '',
  bytes: '',
  integer: 0,
  number: 0,
  boolean: false,
  'int-or-string': 0,
  quantity: '0',
  time: null,
  'micro-time': null,
  duration: '0s',
};

/** The zero value of a scalar, as Go writes it. */
export function zeroScalar(scalar: ScalarKind): Json {
  return zeros[scalar];
}

/** Reads a scalar that is not null. */
export function decodeScalar(context: DecodeContext, node: ScalarNode, value: Json, place: GoPlace): Json {
  switch (node.scalar) {
    case 'string':
      return typeof value === 'string' ? value : mismatch(context, value, place, '');
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch(context, value, place, false);
    case 'number':
      return isNumber(value) ? value : mismatch(context, value, place, 0);
    case 'integer':
      return decodeInteger(context, value, place);
    case 'bytes':
      return decodeBytes(context, value, place);
    default:
      return decodeOwnForm(context, node.scalar, value);
  }
}

/** Types that read their own JSON: the decoder stops at their first error. */
function decodeOwnForm(context: DecodeContext, scalar: ScalarKind, value: Json): Json {
  if (scalar === 'int-or-string') return decodeIntOrString(context, value);
  if (scalar === 'quantity') return orStop(() => canonicalQuantity(quantityText(value)));
  if (typeof value !== 'string')
    throw new KubeError('InvalidObject', typeError(context, jsonKind(value), 'string'));
  if (scalar === 'time') return orStop(() => canonicalTime(value));
  if (scalar === 'micro-time') return orStop(() => canonicalMicroTime(value));
  return value;
}

function decodeIntOrString(context: DecodeContext, value: Json): Json {
  if (typeof value === 'string') return value;
  if (fitsInteger(value, true)) return value;
  throw new KubeError('InvalidObject', typeError(context, withLiteral(value), 'int32'));
}

/** A quantity takes any JSON text; only what reads as a quantity passes. */
function quantityText(value: Json): string {
  return typeof value === 'object' ? '?' : String(value).trim();
}

function orStop<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new KubeError('InvalidObject', errorText(error), { cause: error });
  }
}

function decodeInteger(context: DecodeContext, value: Json, place: GoPlace): Json {
  if (fitsInteger(value, place.node.source['format'] === 'int32')) return value;
  reportError(context, typeError(context, withLiteral(value), place));
  return 0;
}

const MAX_INT64 = 2n ** 63n - 1n;

function fitsInteger(value: Json, is32: boolean): value is number | bigint {
  if (typeof value === 'bigint') return !is32 && value <= MAX_INT64 && value >= -MAX_INT64 - 1n;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return false;
  return !is32 || (value >= -(2 ** 31) && value < 2 ** 31);
}

/** Integers print the number that does not fit. */
function withLiteral(value: Json): string {
  if (!isNumber(value)) return jsonKind(value);
  // Beyond int64 a number is a float; Go shows the digits that were sent.
  return `number ${Number.isInteger(value) && Math.abs(Number(value)) < 1e21 ? BigInt(value) : value}`;
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function decodeBytes(context: DecodeContext, value: Json, place: GoPlace): Json {
  if (typeof value !== 'string') return decodeByteArray(context, value, place);
  const checked = checkBase64(value);
  if ('text' in checked) return checked.text;
  reportError(context, `illegal base64 data at input byte ${checked.badByte}`);
  return '';
}

/** Go also reads bytes from an array of numbers. */
function decodeByteArray(context: DecodeContext, value: Json, place: GoPlace): Json {
  if (!isJsonArray(value)) return mismatch(context, value, place, '');
  const bytes = value.map((item) => {
    if (item === null) return 0;
    if (typeof item === 'number' && Number.isInteger(item) && item >= 0 && item < 256) return item;
    reportError(context, typeError(context, withLiteral(item), 'uint8'));
    return 0;
  });
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
}

function mismatch(context: DecodeContext, value: Json, place: GoPlace, zero: Json): Json {
  reportError(context, typeError(context, jsonKind(value), place));
  return zero;
}
