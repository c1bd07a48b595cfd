import type { KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  immutable,
  nameIsDnsSubdomain,
  nonNegative,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, has, valueAt } from '../../objects/read.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `apps/v1 ControllerRevision`: a state that a StatefulSet or DaemonSet can go back to. It never changes. */
export const controllerRevision: Strategy = {
  validateCreate: (object) => [
    ...validate(object),
    ...required(has(bodyOf(object), 'data'), 'data', 'data is mandatory'),
  ],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validate(object),
    ...immutable(valueAt(bodyOf(object), 'data'), valueAt(bodyOf(old), 'data'), 'data'),
  ],
};

function validate(object: KubeObject): Errors {
  const body = bodyOf(object);
  const faults = nonNegative(body, 'revision', '').map((error) => ({ ...error, field: 'revision' }));
  return [...validateObjectMeta(object, RULES), ...faults];
}
