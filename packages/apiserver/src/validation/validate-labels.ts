import type { JsonObject } from '@kubewright/kube';
import { fieldErrors, isQualifiedName, isValidLabelValue } from '@kubewright/kube/validation';
import { type Errors, each, everyOf, forbidden, invalidFor, NONE, required } from './errors.ts';
import { entriesAt, objectsAt, stringAt, stringsAt } from '../objects/read.ts';

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Size in bytes of UTF-8, as Go's `len` counts. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

export function validateLabelName(name: string, path: string): Errors {
  return invalidFor(path, name, isQualifiedName(name));
}

/** A map of labels under `key`. Both name and value errors have the map's own path. */
export function validateLabels(object: JsonObject, key: string, path: string): Errors {
  return everyOf(entriesAt(object, key), path, validateLabel);
}

function validateLabel([name, value]: readonly [string, string], path: string): Errors {
  return [...validateLabelName(name, path), ...invalidFor(path, value, isValidLabelValue(value))];
}

export function validateAnnotations(object: JsonObject, key: string, path: string): Errors {
  const entries = entriesAt(object, key);
  const size = entries.reduce((sum, [name, value]) => sum + byteLength(name) + byteLength(value), 0);
  return [
    ...everyOf(entries, path, ([name]) => invalidFor(path, name, isQualifiedName(name.toLowerCase()))),
    ...(size > MAX_ANNOTATIONS_BYTES ? [fieldErrors.tooLong(path, MAX_ANNOTATIONS_BYTES)] : NONE),
  ];
}

/** `metav1.LabelSelector`. Undefined selects nothing and is valid. */
export function validateLabelSelector(selector: JsonObject | undefined, path: string): Errors {
  if (selector === undefined) return NONE;
  return [
    ...validateLabels(selector, 'matchLabels', `${path}.matchLabels`),
    ...each(objectsAt(selector, 'matchExpressions'), `${path}.matchExpressions`, validateExpression),
  ];
}

function validateExpression(expression: JsonObject, path: string): Errors {
  const values = stringsAt(expression, 'values');
  return [
    ...validateOperator(stringAt(expression, 'operator'), values, path),
    ...validateLabelName(stringAt(expression, 'key'), `${path}.key`),
    ...each(values, `${path}.values`, (value, at) => invalidFor(at, value, isValidLabelValue(value))),
  ];
}

function validateOperator(operator: string, values: readonly string[], path: string): Errors {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return required(
        values.length > 0,
        `${path}.values`,
        "must be specified when `operator` is 'In' or 'NotIn'",
      );
    case 'Exists':
    case 'DoesNotExist':
      return forbidden(
        values.length > 0,
        `${path}.values`,
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      );
    default:
      return invalidFor(`${path}.operator`, operator, ['not a valid selector operator']);
  }
}

/** True for a selector that names nothing and so selects everything. */
export function isEmptySelector(selector: JsonObject): boolean {
  return entriesAt(selector, 'matchLabels').length + objectsAt(selector, 'matchExpressions').length === 0;
}
