import type { appsv1 } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { specValidation } from '../../model/spec-validation.ts';
import { validateSelectedTemplate, validateWorkloadSelector } from '../../pods/validate-template.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { statusErrors } from '../../validation/spec-errors.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { specStrategy, statusStrategy } from '../../model/status-strategy.ts';
import { defaults, inOrder } from '../../objects/change-object.ts';
import { atMost, changeSpec, nameWarnings, templateDefaults, templateWarnings } from './workload.ts';

const SELECTED = { kind: 'ReplicaSet', unusable: 'invalid label selector' };
const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const specDefaults = inOrder(defaults<appsv1.ReplicaSetSpec>({ replicas: 1 }), templateDefaults);

/** `apps/v1 ReplicaSet`. */
export const replicaSet: Strategy = {
  ...specStrategy({ replicas: 0 }),
  default: (object) => changeSpec(object, specDefaults),
  ...specValidation(RULES, validateSpec),
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object) : []),
    ...templateWarnings(object, old),
  ],
};

export const replicaSetStatus: Strategy = statusStrategy((object, old) => [
  ...validateObjectMetaUpdate(object, old),
  ...statusErrors(validateStatus, object, old),
]);

function validateSpec(spec: Field<appsv1.ReplicaSetSpec>, old?: Field<appsv1.ReplicaSetSpec>): void {
  const selector = spec.at('selector');
  spec.nonNegative('replicas', 'minReadySeconds');
  // The text says deployment: so does the server's.
  validateWorkloadSelector(selector, 'deployment');
  validateSelectedTemplate(selector, spec.at('template'), SELECTED, old?.at('template'));
  if (old !== undefined) spec.immutable(old, 'selector', '?meta.LabelSelector');
}

function validateStatus(status: Field<appsv1.ReplicaSetStatus>): void {
  status.nonNegative('replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas');
  status.nonNegative('observedGeneration', 'terminatingReplicas');
  const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;
  atMost(status, parts, 'replicas', 'cannot be greater than status.replicas');
  atMost(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than readyReplicas');
}
