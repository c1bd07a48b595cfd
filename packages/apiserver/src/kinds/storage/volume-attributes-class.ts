import { type KubeObject, jsonEqual } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { withProtection } from '../core/with-protection.ts';
import {
  type Errors,
  forbidden,
  invalid,
  nameIsDnsSubdomain,
  qualifiedName,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, objectAt, stringAt } from '../../objects/read.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `storage.k8s.io/v1 VolumeAttributesClass`. */
export const volumeAttributesClass: Strategy = {
  prepareForCreate: (object) => withProtection(object, 'kubernetes.io/vac-protection'),
  validateCreate: validate,
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...unchangeable(object, old),
    ...validate(object),
  ],
};

function validate(object: KubeObject): Errors {
  const driver = stringAt(bodyOf(object), 'driverName');
  const parameters = objectAt(bodyOf(object), 'parameters');
  return [
    ...validateObjectMeta(object, RULES),
    ...(driver === '' ? required(false, 'driverName') : qualifiedName(driver.toLowerCase(), 'driverName')),
    ...required(Object.keys(parameters).length > 0, 'parameters', 'must contain at least one key/value pair'),
    ...invalid(Object.keys(parameters).includes(''), 'parameters', '', 'field can not be empty.'),
  ];
}

function unchangeable(object: KubeObject, old: KubeObject): Errors {
  const [body, before] = [bodyOf(object), bodyOf(old)];
  const moved = !jsonEqual(objectAt(body, 'parameters'), objectAt(before, 'parameters'));
  return [
    ...forbidden(
      stringAt(body, 'driverName') !== stringAt(before, 'driverName'),
      'driverName',
      'updates to driverName are forbidden.',
    ),
    ...forbidden(moved, 'parameters', 'updates to parameters are forbidden.'),
  ];
}
