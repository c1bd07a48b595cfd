import { type Json, getOwn } from '../../../json/json.ts';
import { formatGoFloat } from '../../../object/format-go-float.ts';
import type { OpenApiSchema } from '../../schema-node.ts';
import { type Result, addInvalid, addUnplaced, newResult } from './result.ts';
import { formatOf, isInt64, typesOf } from './validate-type.ts';

type Numeric = number | bigint;

/** Checks `format`'s range, `multipleOf`, `minimum` and `maximum`. */
export function validateNumber(schema: OpenApiSchema, value: Numeric, path: string): Result {
  const result = newResult(1);
  checkRange(result, schema, value, 'Checked', path);
  for (const check of [checkMultipleOf, checkMinimum, checkMaximum]) check(result, schema, value, path);
  return result;
}

const bounds: Readonly<Record<string, readonly [Numeric, Numeric]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Whether a number is one of the schema's type and format; constraints have to be too. */
function checkRange(
  result: Result,
  schema: OpenApiSchema,
  value: Numeric,
  what: string,
  path: string,
): boolean {
  const types = typesOf(schema);
  const format = types.length === 1 ? formatOf(schema) : '';
  if (types.length !== 1 || (types[0] !== 'integer' && format !== 'float')) return true;
  if (types[0] === 'integer' ? fitsInteger(value, format) : Number.isFinite(Math.fround(Number(value))))
    return true;
  const of = format === '' ? '(default format)' : `with format ${format}`;
  addUnplaced(result, `${what} value must be of type ${types[0]} ${of} in ${path}`);
  return false;
}

function fitsInteger(value: Numeric, format: string): boolean {
  const [low, high] = bounds[format === 'int32' ? 'int32' : 'int64'] as readonly [Numeric, Numeric];
  return isInteger(value) && value >= low && value <= high;
}

function isInteger(value: Numeric): boolean {
  return typeof value === 'bigint' || isInt64(value);
}

function isWhole(value: Numeric): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

function numberAt(schema: OpenApiSchema, key: string): Numeric | undefined {
  const value = getOwn(schema, key);
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

/** An integer is compared with the whole part of a constraint, as Go does. */
function constraintFor(value: Numeric, limit: Numeric): { readonly limit: Numeric; readonly text: string } {
  if (isInteger(value)) {
    const whole = typeof limit === 'bigint' ? limit : Math.trunc(limit);
    return { limit: whole, text: String(whole) };
  }
  return { limit, text: floatText(Number(limit)) };
}

/** Go's `%v` of a float64. */
function floatText(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) < 1e6) return formatGoFloat(value);
  return value.toExponential().replace(/e\+(\d)$/, 'e+0$1');
}

function checkMultipleOf(result: Result, schema: OpenApiSchema, value: Numeric, path: string): void {
  const factor = numberAt(schema, 'multipleOf');
  if (factor === undefined) return;
  checkRange(result, schema, factor, 'MultipleOf', path);
  const { limit, text } = constraintFor(value, factor);
  if (limit <= 0) {
    addInvalid(
      result,
      path,
      Number(limit),
      `factor MultipleOf declared for ${path} must be positive: ${text}`,
    );
  } else if (!isMultiple(value, limit)) {
    addInvalid(result, path, value, `${path} in body should be a multiple of ${text}`);
  }
}

function isMultiple(value: Numeric, factor: Numeric): boolean {
  if (isWhole(value) && isWhole(factor)) return BigInt(value) % BigInt(factor) === 0n;
  const [a, b] = [Number(value), Number(factor)];
  const times = b < 1 ? (1 / b) * a : a / b;
  // Go allows for the rounding of a float.
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

function checkMinimum(result: Result, schema: OpenApiSchema, value: Numeric, path: string): void {
  const minimum = numberAt(schema, 'minimum');
  if (minimum === undefined) return;
  checkRange(result, schema, minimum, 'Minimum boundary', path);
  const { limit, text } = constraintFor(value, minimum);
  const exclusive = getOwn(schema, 'exclusiveMinimum') === true;
  if (exclusive ? value > limit : value >= limit) return;
  addInvalid(
    result,
    path,
    value,
    `${path} in body should be greater than ${exclusive ? '' : 'or equal to '}${text}`,
  );
}

function checkMaximum(result: Result, schema: OpenApiSchema, value: Numeric, path: string): void {
  const maximum = numberAt(schema, 'maximum');
  if (maximum === undefined) return;
  checkRange(result, schema, maximum, 'Maximum boundary', path);
  const { limit, text } = constraintFor(value, maximum);
  const exclusive = getOwn(schema, 'exclusiveMaximum') === true;
  if (exclusive ? value < limit : value <= limit) return;
  addInvalid(
    result,
    path,
    value,
    `${path} in body should be less than ${exclusive ? '' : 'or equal to '}${text}`,
  );
}

/** True for a JSON number. */
export function isNumeric(value: Json): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint';
}
