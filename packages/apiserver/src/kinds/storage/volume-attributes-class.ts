import type { storagev1 } from '@kubewright/kube';
import { jsonEqual } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { withProtection } from '../core/with-protection.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf } from '../../objects/read.ts';
import { validateDriverName } from './storage-class.ts';

type Class = Field<storagev1.VolumeAttributesClass>;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `storage.k8s.io/v1 VolumeAttributesClass`. */
export const volumeAttributesClass: Strategy = {
  prepareForCreate: (object) => withProtection(object, 'kubernetes.io/vac-protection'),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...objectErrors(validate, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...objectErrors((body: Class) => validateChange(body, new Field(bodyOf(old))), object),
    ...validateObjectMeta(object, RULES),
    ...objectErrors(validate, object),
  ],
};

function validate(body: Class): void {
  const parameters = body.at('parameters');
  validateDriverName(body.at('driverName'));
  if (Object.keys(parameters.object).length === 0)
    parameters.addRequired('must contain at least one key/value pair');
  if (Object.hasOwn(parameters.object, '')) parameters.addInvalid('field can not be empty.', { value: '' });
}

function validateChange(body: Class, old: Class): void {
  if (body.text('driverName') !== old.text('driverName'))
    body.at('driverName').addForbidden('updates to driverName are forbidden.');
  if (!jsonEqual(body.at('parameters').object, old.at('parameters').object))
    body.at('parameters').addForbidden('updates to parameters are forbidden.');
}
