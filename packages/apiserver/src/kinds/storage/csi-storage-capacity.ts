import type { KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  immutable,
  invalid,
  invalidFor,
  nameIsDnsSubdomain,
  NONE,
} from '../../validation/errors.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { isNegative } from '../../validation/quantities.ts';
import { bodyOf, maybeObject, maybeString, stringAt, valueAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `storage.k8s.io/v1 CSIStorageCapacity`. */
export const csiStorageCapacity: Strategy = {
  validateCreate: validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...validateObjectMetaUpdate(object, old),
    ...showing(
      '?meta.LabelSelector',
      immutable(
        valueAt(bodyOf(object), 'nodeTopology'),
        valueAt(bodyOf(old), 'nodeTopology'),
        'nodeTopology',
      ),
    ),
    ...immutable(
      valueAt(bodyOf(object), 'storageClassName'),
      valueAt(bodyOf(old), 'storageClassName'),
      'storageClassName',
    ),
  ],
};

function validate(object: KubeObject): Errors {
  const body = bodyOf(object);
  const className = stringAt(body, 'storageClassName');
  const capacity = maybeString(body, 'capacity');
  return [
    ...validateObjectMeta(object, RULES),
    ...validateLabelSelector(maybeObject(body, 'nodeTopology'), 'nodeTopology'),
    ...invalidFor('storageClassName', className, nameIsDnsSubdomain(className, false)),
    ...(capacity === undefined
      ? NONE
      : invalid(isNegative(capacity), 'capacity', capacity, 'must be greater than or equal to 0')),
  ];
}
