import type { Json } from '../json/json.ts';
import { quoteGo } from '../object/quote-go.ts';
import type { FieldError } from './field-error.ts';

const required = (field: string, detail = ''): FieldError => ({ type: 'Required', field, detail });

const invalid = (field: string, value: Json, detail: string): FieldError => ({
  type: 'Invalid',
  field,
  value,
  detail,
});

const typeInvalid = (field: string, value: Json, detail: string): FieldError => ({
  type: 'TypeInvalid',
  field,
  value,
  detail,
});

const duplicate = (field: string, value: Json): FieldError => ({
  type: 'Duplicate',
  field,
  value,
  detail: '',
});

const notFound = (field: string, value: Json): FieldError => ({ type: 'NotFound', field, value, detail: '' });

/** `supported` is listed in the given order; Kubernetes sorts it in most places before it calls. */
const notSupported = (field: string, value: Json, supported: readonly string[]): FieldError => ({
  type: 'NotSupported',
  field,
  value,
  detail: supported.length > 0 ? `supported values: ${supported.map(quoteGo).join(', ')}` : '',
});

const forbidden = (field: string, detail: string): FieldError => ({ type: 'Forbidden', field, detail });

/** `maximum` in bytes; negative: not in the message. */
const tooLong = (field: string, maximum: number): FieldError => ({
  type: 'TooLong',
  field,
  detail: maximum < 0 ? 'value is too long' : `may not be more than ${count(maximum, 'byte')}`,
});

/** `maximum` in characters; negative: not in the message. */
const tooLongCharacters = (field: string, maximum: number): FieldError => ({
  type: 'TooLong',
  field,
  detail: maximum < 0 ? 'value is too long' : `may not be more than ${count(maximum, 'character')}`,
});

/** `actual` and `maximum` in items; negative: not in the message. */
const tooMany = (field: string, actual: number, maximum: number): FieldError => ({
  type: 'TooMany',
  field,
  ...(actual >= 0 && { value: actual }),
  detail: maximum < 0 ? 'has too many items' : `must have at most ${count(maximum, 'item')}`,
});

const internal = (field: string, message: string): FieldError => ({
  type: 'InternalError',
  field,
  detail: message,
});

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

/** Makers of {@link FieldError}s; names, arguments and texts after `field.Required` and its siblings in Go. */
export const fieldErrors: FieldErrorMakers = {
  required,
  invalid,
  typeInvalid,
  duplicate,
  notFound,
  notSupported,
  forbidden,
  tooLong,
  tooLongCharacters,
  tooMany,
  internal,
};

type FieldErrorMakers = {
  readonly required: typeof required;
  readonly invalid: typeof invalid;
  readonly typeInvalid: typeof typeInvalid;
  readonly duplicate: typeof duplicate;
  readonly notFound: typeof notFound;
  readonly notSupported: typeof notSupported;
  readonly forbidden: typeof forbidden;
  readonly tooLong: typeof tooLong;
  readonly tooLongCharacters: typeof tooLongCharacters;
  readonly tooMany: typeof tooMany;
  readonly internal: typeof internal;
};
