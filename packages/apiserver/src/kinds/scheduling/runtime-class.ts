import type { nodev1 } from '@kubewright/kube';
import { isDns1123Label } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { objectErrors } from '../../validation/spec-errors.ts';
import { validateLabels } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf } from '../../objects/read.ts';

type Class = Field<nodev1.RuntimeClass>;

const RULES = { namespaced: false, name: nameIsDnsSubdomain };

/** `node.k8s.io/v1 RuntimeClass`. */
export const runtimeClass: Strategy = {
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...objectErrors(validate, object)],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...objectErrors((body: Class) => validateChange(body, new Field(bodyOf(old))), object),
  ],
};

function validate(body: Class): void {
  body.requireMatch('handler', isDns1123Label);
  body.add(validateLabels(body.at('scheduling').object, 'nodeSelector', 'scheduling.nodeSelector'));
}

function validateChange(body: Class, old: Class): void {
  const value = body.text('handler');
  if (value !== old.text('handler')) body.at('handler').addInvalid('field is immutable', { value });
}
