import type { Json, JsonObject } from '@kubewright/kube';
import type { FieldError } from '@kubewright/kube/validation';
import { jsonEqual } from '@kubewright/kube';
import {
  fieldErrors,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
} from '@kubewright/kube/validation';
import { maybeNumber, numberAt } from '../objects/read.ts';

export type Errors = readonly FieldError[];
export const NONE: Errors = [];

/** A check of one value at one path. */
export type Check<T> = (value: T, path: string) => Errors;

/** What is wrong with items, until that is more than a response lists. */
const MAX_ERRORS = 1000;

export function each<T>(items: readonly T[], path: string, check: Check<T>): Errors {
  const errors: FieldError[] = [];
  for (const [index, item] of items.entries()) {
    errors.push(...check(item, `${path}[${index}]`));
    if (errors.length > MAX_ERRORS) break;
  }
  return errors;
}

/** The same for what has no paths of its own: finalizers, keys and values of labels. */
export function everyOf<T>(items: readonly T[], path: string, check: Check<T>): Errors {
  const errors: FieldError[] = [];
  for (const item of items) {
    errors.push(...check(item, path));
    if (errors.length > MAX_ERRORS) break;
  }
  return errors;
}

/** One `Invalid` per message: how the helpers of `k8s.io/apimachinery/pkg/util/validation` are used. */
export function invalidFor(path: string, value: Json, messages: readonly string[]): Errors {
  return messages.map((message) => fieldErrors.invalid(path, value, message));
}

/** `check` on the value under `key`, if there is one. */
export function inside(value: JsonObject | undefined, check: (value: JsonObject) => Errors): Errors {
  return value === undefined ? NONE : check(value);
}

export function required(condition: boolean, path: string, detail = ''): Errors {
  return condition ? NONE : [fieldErrors.required(path, detail)];
}

export function forbidden(condition: boolean, path: string, detail: string): Errors {
  return condition ? [fieldErrors.forbidden(path, detail)] : NONE;
}

export function invalid(condition: boolean, path: string, value: Json, detail: string): Errors {
  return condition ? [fieldErrors.invalid(path, value, detail)] : NONE;
}

/** `Unsupported value` unless `value` is one of `supported`, which is listed in the order given. */
export function oneOf(
  value: string,
  path: string,
  supported: readonly string[],
  shown: Json = value,
): Errors {
  return supported.includes(value) ? NONE : [fieldErrors.notSupported(path, shown, supported)];
}

/** `Required` where empty, else as {@link oneOf}. */
export function requiredOneOf(value: string, path: string, supported: readonly string[]): Errors {
  return value === '' ? [fieldErrors.required(path, '')] : oneOf(value, path, supported);
}

/** The number under `key` must not be negative; nothing reads as 0. */
export function nonNegative(object: JsonObject, key: string, path: string): Errors {
  const value = numberAt(object, key);
  return invalid(value < 0, `${path}.${key}`, value, 'must be greater than or equal to 0');
}

export function positive(value: number, path: string): Errors {
  return invalid(value <= 0, path, value, 'must be greater than zero');
}

function inRange(value: number, path: string, low: number, high: number): Errors {
  return invalid(value < low || value > high, path, value, rangeMessage(low, high));
}

export function rangeMessage(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

/** The bounds of a number that may be absent. */
export function inRangeIfSet(
  object: JsonObject,
  key: string,
  path: string,
  bounds: readonly [number, number],
): Errors {
  const value = maybeNumber(object, key);
  return value === undefined ? NONE : inRange(value, `${path}.${key}`, ...bounds);
}

export function immutable(value: Json | undefined, old: Json | undefined, path: string): Errors {
  return invalid(!jsonEqual(value ?? null, old ?? null), path, value ?? null, 'field is immutable');
}

export const dnsLabel: Check<string> = (value, path) => invalidFor(path, value, isDns1123Label(value));
export const dnsSubdomain: Check<string> = (value, path) =>
  invalidFor(path, value, isDns1123Subdomain(value));
export const qualifiedName: Check<string> = (value, path) => invalidFor(path, value, isQualifiedName(value));

/** How names of a kind are checked. `prefix`: the text is a `generateName`, so a trailing dash is fine. */
export type NameCheck = (name: string, prefix: boolean) => readonly string[];

/** The last two characters make room for one that is fine, as upstream. */
const masked = (name: string, prefix: boolean): string =>
  prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

export const nameIsDnsSubdomain: NameCheck = (name, prefix) => isDns1123Subdomain(masked(name, prefix));
export const nameIsDnsLabel: NameCheck = (name, prefix) => isDns1123Label(masked(name, prefix));
