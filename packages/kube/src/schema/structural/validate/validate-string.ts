import { getOwn } from '../../../json/json.ts';
import type { OpenApiSchema } from '../../schema-node.ts';
import { KubeError } from '../../../kube-error.ts';
import { fieldErrors } from '../../field-errors.ts';
import { compileRe2 } from '../compile-re2.ts';
import { hasFormat } from './has-format.ts';
import { type Result, addError, addInvalid, addTypeError, fieldAt, newResult } from './result.ts';
import { formatOf } from './validate-type.ts';

/** Checks `maxLength`, `minLength` and `pattern`; only the first failure is reported. Lengths are in code points. */
export function validateString(schema: OpenApiSchema, value: string, path: string): Result {
  const result = newResult();
  const maximum = getOwn(schema, 'maxLength');
  const minimum = getOwn(schema, 'minLength');
  const pattern = getOwn(schema, 'pattern');
  if (typeof maximum === 'number' && isLonger(value, maximum)) {
    const message = `${path} in body should be at most ${maximum} chars long`;
    addError(result, message, fieldErrors.tooLong(fieldAt(path), maximum));
  } else if (typeof minimum === 'number' && !isLonger(value, minimum - 1)) {
    addInvalid(result, path, value, `${path} in body should be at least ${minimum} chars long`);
  } else if (typeof pattern === 'string' && pattern !== '') {
    checkPattern(result, pattern, value, path);
  }
  return result;
}

function isLonger(value: string, limit: number): boolean {
  // Code points are at most as many as code units, and at least half as many.
  if (value.length <= limit) return false;
  return value.length > 2 * limit || Array.from(value).length > limit;
}

function checkPattern(result: Result, pattern: string, value: string, path: string): void {
  const why = mismatch(pattern, value);
  if (why !== undefined) addInvalid(result, path, value, `${path} in body should match '${pattern}${why}'`);
}

/** Undefined for a value that matches. */
function mismatch(pattern: string, value: string): string | undefined {
  const compiled = compileRe2(pattern);
  if ('problem' in compiled) return ', but pattern is invalid';
  try {
    return compiled.test(value) ? undefined : '';
  } catch (error) {
    if (error instanceof KubeError && error.code === 'CostExceeded') return `, but ${error.message}`;
    throw error;
  }
}

/** Checks `format`. */
export function validateFormat(schema: OpenApiSchema, value: string, path: string): Result {
  const result = newResult();
  const format = formatOf(schema);
  if (format !== '' && !hasFormat(format, value)) addTypeError(result, path, format, value);
  return result;
}
