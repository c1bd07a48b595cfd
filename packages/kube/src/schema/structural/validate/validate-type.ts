import { type Json, getOwn, isJsonArray } from '../../../json/json.ts';
import type { OpenApiSchema } from '../../schema-node.ts';
import { isStringFormat } from './has-format.ts';
import { type Result, addTypeError, newResult } from './result.ts';

/** The types that a schema allows; an int-or-string allows two. */
export function typesOf(schema: OpenApiSchema): readonly string[] {
  if (getOwn(schema, 'x-kubernetes-int-or-string') === true) return ['integer', 'string'];
  const type = getOwn(schema, 'type');
  return typeof type === 'string' ? [type] : [];
}

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** The schema's `format` if an API server supports it for the schema's type, else empty. */
export function formatOf(schema: OpenApiSchema): string {
  const format = getOwn(schema, 'format');
  if (typeof format !== 'string') return '';
  const types = typesOf(schema);
  const type = types.length === 1 ? (types[0] ?? '') : '';
  if (type === '' || type === 'string') return isStringFormat(format) ? format : '';
  return numberFormats[type]?.includes(format) === true ? format : '';
}

/** A whole number beyond int64 is a float in Go. Here the lowest of int64 is a bigint, and what is rounded to it none. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** The JSON Schema type of a value, and the format that Go's type for it has. */
function typeOfValue(value: Json): { readonly type: string; readonly format: string } {
  switch (typeof value) {
    case 'string':
      return { type: 'string', format: '' };
    case 'boolean':
      return { type: 'boolean', format: '' };
    case 'bigint':
      return { type: 'integer', format: 'int64' };
    case 'number':
      return isInt64(value) ? { type: 'integer', format: 'int64' } : { type: 'number', format: 'float64' };
    default:
      return { type: value === null ? 'null' : isJsonArray(value) ? 'array' : 'object', format: '' };
  }
}

/** Checks `type`, and `nullable` for null. */
export function validateType(schema: OpenApiSchema, value: Json, path: string): Result {
  if (value === null) return validateNull(schema, path);
  const types = typesOf(schema);
  const format = formatOf(schema);
  const actual = typeOfValue(value);
  const fits = types.includes(actual.type) || (actual.type === 'integer' && types.includes('number'));
  if (fits) return newResult(1);
  if (format === '') return typeFailure(path, types.join(','), actual.type);
  if (actual.type !== 'string' && actual.type !== 'array') return typeFailure(path, format, actual.format);
  // A schema with a string format leaves texts, and oddly lists too, to the format.
  const isNumeric = types.includes('number') || types.includes('integer');
  return isNumeric ? typeFailure(path, types.join(','), actual.type) : newResult(1);
}

function validateNull(schema: OpenApiSchema, path: string): Result {
  const types = typesOf(schema);
  if (types.length === 0 || getOwn(schema, 'nullable') === true) return newResult(1);
  return typeFailure(path, types.join(','), 'null');
}

function typeFailure(path: string, type: string, what: string): Result {
  const result = newResult();
  addTypeError(result, path, type, what);
  return result;
}
