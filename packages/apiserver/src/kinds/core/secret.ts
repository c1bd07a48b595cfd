import { type JsonObject, type KubeObject, parseJson } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  immutable,
  invalidFor,
  NONE,
  nameIsDnsSubdomain,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, entriesAt, has, metadataOf, objectAt, sortedEntries, stringAt } from '../../objects/read.ts';
import { type Change, changeObject, orDefault, withField } from '../../objects/change-object.ts';
import { base64Length, validateImmutable, validateKey } from './config-map.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const MAX_BYTES = 1024 * 1024;
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

/** `v1 Secret`. `stringData` is for writing only: it ends up in `data`. */
export const secret: Strategy = {
  default: (object) => changeObject(object, (body) => orDefault(encodeStringData(body), 'type', 'Opaque')),
  validateCreate: validate,
  validateUpdate: (object, old, { sent }) => [
    ...validateObjectMetaUpdate(object, old),
    ...immutable(stringAt(bodyOf(object), 'type'), stringAt(bodyOf(old), 'type'), 'type'),
    ...validateImmutable(bodyOf(object), bodyOf(old), ['data'], sent),
    ...validate(object),
  ],
};

const encodeStringData: Change = (body) => {
  const entries = entriesAt(body, 'stringData');
  if (entries.length === 0) return withField(body, 'stringData', undefined);
  const encoded = entries.map(
    ([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')] as const,
  );
  const data: JsonObject = { ...objectAt(body, 'data'), ...Object.fromEntries(encoded) };
  return withField(withField(body, 'data', data), 'stringData', undefined);
};

function validate(object: KubeObject): Errors {
  const data = objectAt(bodyOf(object), 'data');
  const size = Object.values(data).reduce((sum: number, value) => sum + base64Length(value), 0);
  return [
    ...validateObjectMeta(object, RULES),
    ...sortedEntries(data).flatMap(([key]) => validateKey(key, `data[${key}]`)),
    ...(size > MAX_BYTES ? [fieldErrors.tooLong('data', MAX_BYTES)] : NONE),
    ...validateType(object, data),
  ];
}

/** What each type of the platform's own must hold. */
function validateType(object: KubeObject, data: JsonObject): Errors {
  switch (stringAt(bodyOf(object), 'type')) {
    case 'kubernetes.io/service-account-token': {
      const name = stringAt(objectAt(metadataOf(object), 'annotations'), ACCOUNT_NAME);
      return required(name !== '', `metadata.annotations[${ACCOUNT_NAME}]`);
    }
    case 'kubernetes.io/dockercfg':
      return validateJsonKey(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateJsonKey(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return has(data, 'username') || has(data, 'password') ? NONE : needsKeys(data, 'username', 'password');
    case 'kubernetes.io/ssh-auth':
      return required(stringAt(data, 'ssh-privatekey') !== '', 'data[ssh-privatekey]');
    case 'kubernetes.io/tls':
      return needsKeys(data, 'tls.crt', 'tls.key');
    default:
      return NONE;
  }
}

function needsKeys(data: JsonObject, ...keys: readonly string[]): Errors {
  return keys.flatMap((key) => required(has(data, key), `data[${key}]`));
}

function validateJsonKey(data: JsonObject, key: string): Errors {
  if (!has(data, key)) return required(false, `data[${key}]`);
  try {
    parseJson(Buffer.from(stringAt(data, key), 'base64'));
    return NONE;
  } catch (error) {
    const message = error instanceof Error ? error.message : 'invalid JSON';
    return invalidFor(`data[${key}]`, '<secret contents redacted>', [message]);
  }
}
