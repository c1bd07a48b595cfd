import type { storagev1 } from '@kubewright/kube';
import { isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { isNegative } from '../../validation/quantities.ts';
import { bodyOf } from '../../objects/read.ts';

type Capacity = Field<storagev1.CSIStorageCapacity>;

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `storage.k8s.io/v1 CSIStorageCapacity`. */
export const csiStorageCapacity: Strategy = {
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...objectErrors(validate, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMeta(object, RULES),
    ...objectErrors(validate, object),
    ...validateObjectMetaUpdate(object, old),
    ...objectErrors((capacity: Capacity) => {
      capacity.immutable(new Field(bodyOf(old)), 'nodeTopology', '?meta.LabelSelector');
      capacity.immutable(new Field(bodyOf(old)), 'storageClassName');
    }, object),
  ],
};

function validate(capacity: Capacity): void {
  const amount = capacity.maybeText('capacity');
  capacity.maybeAt('nodeTopology')?.check(validateLabelSelector);
  capacity.matches('storageClassName', isDns1123Subdomain);
  if (amount !== undefined && isNegative(amount))
    capacity.at('capacity').addInvalid('must be greater than or equal to 0');
}
