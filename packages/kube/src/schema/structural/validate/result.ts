import type { Json } from '../../../json/json.ts';
import type { FieldError } from '../../field-error.ts';
import { fieldErrors } from '../../field-errors.ts';

/**
 * What a check found. `matches` counts the checks that ran through: of several alternatives (`anyOf`, `oneOf`) that all
 * fail, the one with most of them tells its errors.
 */
export type Result = {
  /** By message: each message is reported once. */
  errors: Map<string, FieldError>;
  matches: number;
};

/** A body has room for hundreds of thousands; nobody reads more than some. One more than a response lists, which says so then. */
const MAX_ERRORS = 1001;

/** Most checks find nothing: they share this, and nothing is ever added to it. */
const none = new Map<string, FieldError>();

export function newResult(matches = 0): Result {
  return { errors: none, matches };
}

/** Adds what `other` found; `other` is not to be used any more. */
export function merge(result: Result, other: Result): void {
  if (result.errors === none) result.errors = other.errors;
  else for (const [message, error] of other.errors) addError(result, message, error);
  result.matches += other.matches;
}

export function addError(result: Result, message: string, error: FieldError): void {
  if (result.errors === none) result.errors = new Map();
  if (result.errors.size < MAX_ERRORS && !result.errors.has(message)) result.errors.set(message, error);
}

/** An error whose detail is the message itself. */
export function addInvalid(result: Result, path: string, value: Json, message: string): void {
  addError(result, message, fieldErrors.invalid(fieldAt(path), value, message));
}

/** An error that belongs to no field: an API server prints `<nil>` there. */
export function addUnplaced(result: Result, message: string): void {
  addError(result, message, fieldErrors.invalid('<nil>', '', message));
}

/** `what` is what was found instead: a type, or a text that has not the format. */
export function addTypeError(result: Result, path: string, type: string, what: string): void {
  const message = `${path} in body must be of type ${type}: ${JSON.stringify(what)}`;
  addError(result, message, fieldErrors.typeInvalid(fieldAt(path), what, message));
}

/** The path as errors name it; the empty path is no field. */
export function fieldAt(path: string): string {
  const field = path.startsWith('.') ? path.slice(1) : path;
  return field === '' ? '<nil>' : field;
}
