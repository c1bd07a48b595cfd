import type { appsv1, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { type Errors, nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf } from '../../objects/read.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `apps/v1 ControllerRevision`: a state that a StatefulSet or DaemonSet can go back to. It never changes. */
export const controllerRevision: Strategy = {
  validateCreate: (object) => validate(object),
  validateUpdate: (object, old) => [...validateObjectMetaUpdate(object, old), ...validate(object, old)],
};

function validate(object: KubeObject, old?: KubeObject): Errors {
  const revision = new Field<appsv1.ControllerRevision>(bodyOf(object));
  revision.add(validateObjectMeta(object, RULES));
  revision.nonNegative('revision');
  if (old === undefined) revision.require('data', 'data is mandatory');
  else revision.immutable(new Field(bodyOf(old)), 'data');
  return revision.errors;
}
