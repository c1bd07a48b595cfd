import type { storagev1 } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain, qualifiedName } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf } from '../../objects/read.ts';
import { changeObject, defaults } from '../../objects/change-object.ts';

type Class = Field<storagev1.StorageClass>;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const FIXED = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const;

const ownDefaults = defaults<storagev1.StorageClass>({
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
});

/** `storage.k8s.io/v1 StorageClass`. */
export const storageClass: Strategy = {
  default: (object) => changeObject(object, ownDefaults),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...objectErrors(validate, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMeta(object, RULES),
    ...objectErrors(validate, object),
    ...validateObjectMetaUpdate(object, old),
    ...objectErrors((body: Class) => {
      for (const key of FIXED) body.immutable(new Field(bodyOf(old)), key);
    }, object),
  ],
};

function validate(body: Class): void {
  validateDriverName(body.at('provisioner'));
  if (Object.hasOwn(body.at('parameters').object, ''))
    body.at('parameters').addInvalid('field can not be empty.', { value: '' });
  if (body.text('reclaimPolicy') !== '') body.oneOf('reclaimPolicy', ['Delete', 'Retain']);
  if (body.maybeText('volumeBindingMode') === undefined) body.at('volumeBindingMode').addRequired();
  else body.oneOf('volumeBindingMode', ['Immediate', 'WaitForFirstConsumer']);
}

/** The driver that provides volumes of a class. */
export function validateDriverName(driver: Field<string>): void {
  if (driver.asText === '') driver.addRequired();
  else driver.add(qualifiedName(driver.asText.toLowerCase(), driver.path));
}
