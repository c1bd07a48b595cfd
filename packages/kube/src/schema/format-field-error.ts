import { canonicalJson } from '../json/stringify-json.ts';
import type { Json } from '../json/json.ts';
import { formatGoFloat } from '../object/format-go-float.ts';
import { quoteGo } from '../object/quote-go.ts';
import type { StatusCause } from '../object/kube-object.ts';
import type { FieldError, FieldErrorType } from './field-error.ts';

const TITLES: Readonly<Record<FieldErrorType, string>> = {
  Required: 'Required value',
  Invalid: 'Invalid value',
  TypeInvalid: 'Invalid value',
  Duplicate: 'Duplicate value',
  NotSupported: 'Unsupported value',
  Forbidden: 'Forbidden',
  NotFound: 'Not found',
  TooLong: 'Too long',
  TooMany: 'Too many',
  TooFew: 'Too few',
  TooShort: 'Too short',
  InternalError: 'Internal error',
};

const SHOWS_NO_VALUE: ReadonlySet<FieldErrorType> = new Set([
  'Required',
  'Forbidden',
  'TooLong',
  'TooShort',
  'InternalError',
]);

/** `spec.replicas: Invalid value: -1: must be greater than or equal to 0`, as an API server words it. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${formatFieldErrorBody(error)}`;
}

/** {@link formatFieldError} without the field: the message of a {@link StatusCause}. */
export function formatFieldErrorBody(error: FieldError): string {
  const parts = [TITLES[error.type]];
  if (error.value !== undefined && !SHOWS_NO_VALUE.has(error.type)) {
    parts.push(error.shown ?? formatValue(error.value));
  }
  if (error.detail !== '') parts.push(error.detail);
  return parts.join(': ');
}

/** Several errors as Go's aggregate prints them: one alone, more as `[a, b]`, the same text once. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const [first = '', ...more] = new Set(errors.map(formatFieldError));
  return more.length === 0 ? first : `[${[first, ...more].join(', ')}]`;
}

/** The cause that a `Status` with reason `Invalid` lists for this error. */
export function statusCauseOf(error: FieldError): StatusCause {
  const reason = error.type === 'InternalError' ? error.type : `FieldValue${error.type}`;
  return { reason, message: formatFieldErrorBody(error), field: error.field };
}

function formatValue(value: Json): string {
  if (typeof value === 'string') return quoteGo(value);
  if (typeof value === 'number') return formatGoFloat(value);
  return escapeHtml(canonicalJson(value));
}

/** Go's JSON encoder escapes what HTML might read. */
function escapeHtml(json: string): string {
  return json.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}
