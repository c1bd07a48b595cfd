import { type Json, type JsonObject, type KubeObject, jsonEqual } from '@kubewright/kube';
import { type FieldError, fieldErrors, isConfigMapKey } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  forbidden,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsSubdomain,
} from '../../validation/errors.ts';
import { byteLength } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, has, isTrue, maybeObject, objectAt, sortedEntries, valueAt } from '../../objects/read.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
/** A mebibyte, of keys' contents together. */
const MAX_BYTES = 1024 * 1024;

/** `v1 ConfigMap`. */
export const configMap: Strategy = {
  validateCreate: validate,
  validateUpdate: (object, old, { sent }) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateImmutable(bodyOf(object), bodyOf(old), ['data', 'binaryData'], sent),
    ...validate(object),
  ],
};

function validate(object: KubeObject): Errors {
  const [data, binary] = [objectAt(bodyOf(object), 'data'), objectAt(bodyOf(object), 'binaryData')];
  const size = sizeOf(data, byteLengthOf) + sizeOf(binary, base64Length);
  return [
    ...validateObjectMeta(object, RULES),
    ...sortedEntries(data).flatMap(([key]) => [
      ...validateKey(key, `data[${key}]`),
      ...invalid(has(binary, key), `data[${key}]`, key, 'duplicate of key present in binaryData'),
    ]),
    ...sortedEntries(binary).flatMap(([key]) => validateKey(key, `binaryData[${key}]`)),
    ...(size > MAX_BYTES ? [fieldErrors.tooLong('[]', MAX_BYTES)] : NONE),
  ];
}

export function validateKey(key: string, path: string): Errors {
  return invalidFor(path, key, isConfigMapKey(key));
}

function sizeOf(data: JsonObject, size: (value: Json) => number): number {
  return Object.values(data).reduce((sum: number, value) => sum + size(value), 0);
}

function byteLengthOf(value: Json): number {
  return typeof value === 'string' ? byteLength(value) : 0;
}

/** The decoded bytes of a base64 text. */
export function base64Length(value: Json): number {
  if (typeof value !== 'string') return 0;
  return Math.floor((value.replace(/[\s=]/g, '').length * 3) / 4);
}

/** Nothing of an object that was made immutable may change, least of all that. */
export function validateImmutable(
  object: JsonObject,
  old: JsonObject,
  keys: readonly string[],
  sent: JsonObject | undefined,
): Errors {
  if (!isTrue(old, 'immutable')) return NONE;
  const detail = 'field is immutable when `immutable` is set';
  const errors: FieldError[] = [...forbidden(!isTrue(object, 'immutable'), 'immutable', detail)];
  for (const key of keys) {
    const emptied = sent !== undefined && maybeObject(sent, key) !== undefined && !has(old, key);
    const same = !emptied && jsonEqual(valueAt(object, key) ?? {}, valueAt(old, key) ?? {});
    errors.push(...forbidden(!same, key, detail));
  }
  return errors;
}
