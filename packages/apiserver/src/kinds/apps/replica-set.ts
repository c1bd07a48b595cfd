import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  validateSelectedTemplate,
  validateTemplate,
  validateWorkloadSelector,
} from '../../pods/validate-template.ts';
import { type Errors, nameIsDnsSubdomain, nonNegative } from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { objectAt, specOf, statusOf } from '../../objects/read.ts';
import { statusStrategy } from '../../model/status-strategy.ts';
import { inOrder } from '../../objects/change-object.ts';
import {
  atMost,
  changeSpec,
  nameWarnings,
  nonNegativeCounts,
  oneReplica,
  selectorImmutable,
  specStrategyOf,
  templateDefaults,
  templateWarnings,
} from './workload.ts';

const specStrategy = specStrategyOf({ replicas: 0 });
const RULES = { namespaced: true, name: nameIsDnsSubdomain };

/** `apps/v1 ReplicaSet`. */
export const replicaSet: Strategy = {
  ...specStrategy,
  default: (object) => changeSpec(object, inOrder(oneReplica, templateDefaults)),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...validateSpec(specOf(object))],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateSpec(specOf(object), specOf(old)),
    ...selectorImmutable(object, old),
  ],
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object) : []),
    ...templateWarnings(object, old),
  ],
};

export const replicaSetStatus: Strategy = statusStrategy(validateStatus);

function validateSpec(spec: JsonObject, old?: JsonObject): Errors {
  return [
    ...nonNegative(spec, 'replicas', 'spec'),
    ...nonNegative(spec, 'minReadySeconds', 'spec'),
    // The text says deployment: so does the server's.
    ...validateWorkloadSelector(spec, 'spec', 'deployment'),
    ...validateSelectedTemplate(spec, 'spec', {
      kind: 'ReplicaSet',
      unusable: 'invalid label selector',
      template: (template, path) =>
        validateTemplate(template, path, old === undefined ? undefined : objectAt(old, 'template')),
    }),
  ];
}

function validateStatus(object: KubeObject, old: KubeObject): Errors {
  const status = statusOf(object);
  const counts = [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
  ];
  return [
    ...validateObjectMetaUpdate(object, old),
    ...nonNegativeCounts(status, ...counts, 'terminatingReplicas'),
    ...atMost(
      status,
      ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
      'replicas',
      'cannot be greater than status.replicas',
    ),
    ...atMost(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than readyReplicas'),
  ];
}
