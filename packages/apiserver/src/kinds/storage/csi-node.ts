import { jsonEqual, type JsonObject, type storagev1 } from '@kubewright/kube';
import { isQualifiedName } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specErrors } from '../../validation/spec-errors.ts';
import { repeats } from '../../validation/repeats.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import { withField } from '../../objects/change-object.ts';
import { csiDriverName } from '../core/csi-driver-name.ts';

type Spec = Field<storagev1.CSINodeSpec>;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const LONGEST_ID = 256;

/** `storage.k8s.io/v1 CSINode`. */
export const csiNode: Strategy = {
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...specErrors(validateSpec, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMeta(object, RULES),
    ...specErrors(validateSpec, object, old),
  ],
};

function validateSpec(spec: Spec, old?: Spec): void {
  const isRepeated = repeats();
  for (const driver of spec.items('drivers')) {
    validateDriver(driver);
    driver.at('name').mustBeNew(isRepeated);
    validateKeys(driver);
  }
  if (old !== undefined) validateChange(spec, old);
}

function validateDriver(driver: Field<storagev1.CSINodeDriver>): void {
  driver.at('name').checkText(csiDriverName);
  driver.requireText('nodeID');
  if (driver.text('nodeID').length > LONGEST_ID)
    driver.at('nodeID').addInvalid(`must be ${LONGEST_ID} characters or less`);
  driver.at('allocatable').nonNegative('count');
}

function validateKeys(driver: Field<storagev1.CSINodeDriver>): void {
  const isRepeated = repeats();
  for (const value of driver.texts('topologyKeys')) {
    if (value === '') driver.addRequired();
    if (isRepeated(value)) driver.addDuplicate(value);
    for (const message of isQualifiedName(value)) driver.addInvalid(message, { value });
  }
}

/** Of an existing driver, only `allocatable.count` may change. */
function validateChange(spec: Spec, old: Spec): void {
  const fixed = (driver: JsonObject): JsonObject => withField(driver, 'allocatable', undefined);
  for (const before of old.items('drivers')) {
    for (const driver of spec.items('drivers')) {
      const value = fixed(driver.object);
      if (driver.text('name') === before.text('name') && !jsonEqual(value, fixed(before.object)))
        spec.at('drivers').addInvalid('field is immutable', { value, as: 'storage.CSINodeDriver' });
    }
  }
}
