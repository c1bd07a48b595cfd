import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  immutable,
  invalid,
  nameIsDnsSubdomain,
  NONE,
  oneOf,
  qualifiedName,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, maybeString, objectAt, stringAt, valueAt } from '../../objects/read.ts';
import { changeObject, inOrder, orDefaultPointer } from '../../objects/change-object.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `storage.k8s.io/v1 StorageClass`. */
export const storageClass: Strategy = {
  default: (object) =>
    changeObject(
      object,
      inOrder(
        (body) => orDefaultPointer(body, 'reclaimPolicy', 'Delete'),
        (body) => orDefaultPointer(body, 'volumeBindingMode', 'Immediate'),
      ),
    ),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...validateClass(bodyOf(object))],
  validateUpdate: (object, old) => [
    ...validateObjectMeta(object, RULES),
    ...validateClass(bodyOf(object)),
    ...validateObjectMetaUpdate(object, old),
    ...unchangeable(object, old),
  ],
};

function unchangeable(object: KubeObject, old: KubeObject): Errors {
  const keys = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'];
  return keys.flatMap((key) => immutable(valueAt(bodyOf(object), key), valueAt(bodyOf(old), key), key));
}

function validateClass(body: JsonObject): Errors {
  const provisioner = stringAt(body, 'provisioner');
  const [policy, mode] = [maybeString(body, 'reclaimPolicy') ?? '', maybeString(body, 'volumeBindingMode')];
  const unnamed = Object.keys(objectAt(body, 'parameters')).includes('');
  return [
    ...(provisioner === ''
      ? required(false, 'provisioner')
      : qualifiedName(provisioner.toLowerCase(), 'provisioner')),
    ...invalid(unnamed, 'parameters', '', 'field can not be empty.'),
    ...(policy === '' ? NONE : oneOf(policy, 'reclaimPolicy', ['Delete', 'Retain'])),
    ...(mode === undefined
      ? required(false, 'volumeBindingMode')
      : oneOf(mode, 'volumeBindingMode', ['Immediate', 'WaitForFirstConsumer'])),
  ];
}
