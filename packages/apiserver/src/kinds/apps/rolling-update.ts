import type { Json, JsonObject } from '@kubewright/kube';
import { isValidPercent } from '@kubewright/kube/validation';
import { type Errors, invalid, invalidFor, NONE } from '../../validation/errors.ts';
import { valueAt } from '../../objects/read.ts';

/** `maxUnavailable` and `maxSurge` of a Deployment. Both zero would never move. */
export function validateRollingUpdate(update: JsonObject, path: string): Errors {
  const [unavailable, surge] = [amount(update, 'maxUnavailable'), amount(update, 'maxSurge')];
  const stuck = numberOf(unavailable) === 0 && numberOf(surge) === 0;
  return [
    ...validateAmount(unavailable, `${path}.maxUnavailable`),
    ...validateAmount(surge, `${path}.maxSurge`),
    ...invalid(stuck, `${path}.maxUnavailable`, unavailable, 'may not be 0 when `maxSurge` is 0'),
    ...notMoreThanAll(unavailable, `${path}.maxUnavailable`),
  ];
}

/** Nothing reads as 0, as a Go `IntOrString` does. */
export function amount(update: JsonObject, key: string): Json {
  return valueAt(update, key) ?? 0;
}

/** A number that is not negative or a percentage. */
export function validateAmount(value: Json, path: string): Errors {
  if (typeof value === 'string') return invalidFor(path, value, isValidPercent(value));
  return invalid(Number(value) < 0, path, value, 'must be greater than or equal to 0');
}

/** The number, of whatever unit; text that is none counts as 0. */
export function numberOf(value: Json): number {
  if (typeof value !== 'string') return Number(value);
  const digits = /^(\d+)%?$|^([+-]?\d+)$/.exec(value);
  return digits === null ? 0 : Number(digits[1] ?? digits[2]);
}

export function notMoreThanAll(value: Json, path: string): Errors {
  if (typeof value !== 'string' || isValidPercent(value).length > 0) return NONE;
  return invalid(numberOf(value) > 100, path, value, 'must not be greater than 100%');
}
