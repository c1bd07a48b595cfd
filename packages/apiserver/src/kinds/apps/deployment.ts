import type { appsv1, JsonObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import { validateSelectedTemplate, validateWorkloadSelector } from '../../pods/validate-template.ts';
import { type Errors, nameIsDnsSubdomain } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { specErrors, statusErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { generationOf, specStrategy, statusStrategy, withGeneration } from '../../model/status-strategy.ts';
import { type Change, defaults, inOrder, inStruct } from '../../objects/change-object.ts';
import { strategyDefaults, validateRollingUpdate } from './validate-rolling-update.ts';
import {
  annotationsChanged,
  atMost,
  changeSpec,
  notFewer,
  nameWarnings,
  templateDefaults,
  templateWarnings,
} from './workload.ts';

type Spec = Field<appsv1.DeploymentSpec>;

const ofSpec = specStrategy();
const SELECTED = { kind: 'ReplicaSet', unusable: 'invalid label selector' };
const RULES = { namespaced: true, name: nameIsDnsSubdomain };

const specDefaults: Change = inOrder(
  defaults<appsv1.DeploymentSpec>({ replicas: 1 }),
  inStruct<appsv1.DeploymentSpec>('strategy', strategyDefaults({ maxUnavailable: '25%', maxSurge: '25%' })),
  defaults<appsv1.DeploymentSpec>({ revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
  templateDefaults,
);

/** `apps/v1 Deployment`. Annotations count as a change: they are copied to the ReplicaSets. */
export const deployment: Strategy = {
  ...ofSpec,
  default: (object) => changeSpec(object, specDefaults),
  prepareForUpdate: (object, old) => {
    const next = ofSpec.prepareForUpdate(object, old);
    const counted = generationOf(next) > generationOf(old);
    return !counted && annotationsChanged(object, old) ? withGeneration(next, generationOf(old) + 1) : next;
  },
  validateCreate: (object, { sent }) => [
    ...validateObjectMeta(object, RULES),
    ...withEmptyLabels(specErrors(validateSpec, object), sent),
  ],
  validateUpdate: (object, old, { sent }) => [
    ...validateObjectMetaUpdate(object, old),
    ...withEmptyLabels(specErrors(validateSpec, object, old), sent),
  ],
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object) : []),
    ...templateWarnings(object, old),
  ],
};

/** Labels that were sent as an empty map are shown as one, and not as null. */
function withEmptyLabels(errors: Errors, sent: JsonObject = {}): Errors {
  const metadata = new Field<appsv1.Deployment>(sent).at('spec').at('template').at('metadata');
  const labels = metadata.maybeAt('labels');
  if (labels === undefined) return errors;
  return errors.map((error) =>
    error.field === 'spec.template.metadata.labels' && error.value === null ? { ...error, value: {} } : error,
  );
}

export const deploymentStatus: Strategy = statusStrategy(
  (object, old) => [...validateObjectMetaUpdate(object, old), ...statusErrors(validateStatus, object, old)],
  { labels: true },
);

function validateSpec(spec: Spec, old?: Spec): void {
  const selector = spec.at('selector');
  spec.nonNegative('replicas');
  validateWorkloadSelector(selector, 'deployment');
  validateSelectedTemplate(selector, spec.at('template'), SELECTED, old?.at('template'));
  validateStrategy(spec.at('strategy'));
  spec.nonNegative('minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds');
  const deadline = spec.maybeNumber('progressDeadlineSeconds');
  if (deadline !== undefined && deadline <= spec.number('minReadySeconds'))
    spec.at('progressDeadlineSeconds').addInvalid('must be greater than minReadySeconds');
  if (old !== undefined) spec.immutable(old, 'selector', '?meta.LabelSelector');
}

function validateStrategy(strategy: Field<appsv1.DeploymentStrategy>): void {
  const update = strategy.maybeAt('rollingUpdate');
  if (strategy.is('type', 'Recreate')) {
    update?.addForbidden("may not be specified when strategy `type` is 'Recreate'");
  } else if (!strategy.is('type', 'RollingUpdate')) {
    strategy.addNotSupported(['Recreate', 'RollingUpdate'], { as: 'apps.DeploymentStrategy' });
  } else if (update === undefined) {
    strategy.at('rollingUpdate').addRequired('this should be defaulted and never be nil');
  } else {
    validateRollingUpdate(update);
  }
}

type Status = Field<appsv1.DeploymentStatus>;

function validateStatus(status: Status, old: Status): void {
  status.nonNegative('observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas');
  status.nonNegative('availableReplicas', 'unavailableReplicas', 'terminatingReplicas', 'collisionCount');
  const parts = ['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const;
  atMost(status, parts, 'replicas', 'cannot be greater than status.replicas');
  atMost(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than readyReplicas');
  notFewer(status, old, 'collisionCount');
}
