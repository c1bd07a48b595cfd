import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  validateSelectedTemplate,
  validateTemplate,
  validateWorkloadSelector,
} from '../../pods/validate-template.ts';
import {
  type Errors,
  forbidden,
  invalid,
  nameIsDnsSubdomain,
  nonNegative,
  oneOf,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  maybeNumber,
  maybeObject,
  numberAt,
  objectAt,
  specOf,
  statusOf,
  stringAt,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { generationOf, statusStrategy, withGeneration } from '../../model/status-strategy.ts';
import {
  type Change,
  inField,
  inOrder,
  orDefault,
  orDefaultPointer,
  when,
  withField,
} from '../../objects/change-object.ts';
import { validateRollingUpdate } from './rolling-update.ts';
import {
  annotationsChanged,
  atMost,
  changeSpec,
  collisionsNotFewer,
  nameWarnings,
  nonNegativeCounts,
  oneReplica,
  selectorImmutable,
  specStrategy,
  templateDefaults,
  templateWarnings,
} from './workload.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

const strategyDefaults: Change = inOrder(
  (strategy) => orDefault(strategy, 'type', 'RollingUpdate'),
  when(
    (strategy) => stringAt(strategy, 'type') === 'RollingUpdate',
    inOrder(
      (strategy) => orDefaultPointer(strategy, 'rollingUpdate', {}),
      inField(
        'rollingUpdate',
        inOrder(
          (update) => orDefaultPointer(update, 'maxUnavailable', '25%'),
          (update) => orDefaultPointer(update, 'maxSurge', '25%'),
        ),
      ),
    ),
  ),
);

const specDefaults: Change = inOrder(
  oneReplica,
  (spec) => withField(spec, 'strategy', strategyDefaults(objectAt(spec, 'strategy'))),
  (spec) => orDefaultPointer(spec, 'revisionHistoryLimit', 10),
  (spec) => orDefaultPointer(spec, 'progressDeadlineSeconds', 600),
  templateDefaults,
);

/** `apps/v1 Deployment`. Annotations count as a change: they are copied to the ReplicaSets. */
export const deployment: Strategy = {
  ...specStrategy,
  default: (object) => changeSpec(object, specDefaults),
  prepareForUpdate: (object, old, context) => {
    const next = specStrategy.prepareForUpdate?.(object, old, context) ?? object;
    const counted = generationOf(next) > generationOf(old);
    return !counted && annotationsChanged(object, old) ? withGeneration(next, generationOf(old) + 1) : next;
  },
  validateCreate: (object, { sent }) => [
    ...validateObjectMeta(object, RULES),
    ...withEmptyLabels(validateSpec(specOf(object)), sent),
  ],
  validateUpdate: (object, old, { sent }) => [
    ...validateObjectMetaUpdate(object, old),
    ...withEmptyLabels(validateSpec(specOf(object), specOf(old)), sent),
    ...selectorImmutable(object, old),
  ],
  warnings: (object, old) => [
    ...(old === undefined ? nameWarnings(object) : []),
    ...templateWarnings(object, old),
  ],
};

/** Labels that were sent as an empty map are shown as one, and not as null. */
function withEmptyLabels(errors: Errors, sent: JsonObject = {}): Errors {
  const metadata = objectAt(objectAt(objectAt(sent, 'spec'), 'template'), 'metadata');
  if (maybeObject(metadata, 'labels') === undefined) return errors;
  return errors.map((error) =>
    error.field === 'spec.template.metadata.labels' && error.value === null ? { ...error, value: {} } : error,
  );
}

export const deploymentStatus: Strategy = statusStrategy(validateStatus, { labels: true });

function validateSpec(spec: JsonObject, old?: JsonObject): Errors {
  const deadline = maybeNumber(spec, 'progressDeadlineSeconds');
  return [
    ...nonNegative(spec, 'replicas', 'spec'),
    ...validateWorkloadSelector(spec, 'spec', 'deployment'),
    ...validateSelectedTemplate(spec, 'spec', {
      kind: 'ReplicaSet',
      unusable: 'invalid label selector',
      template: (template, path) =>
        validateTemplate(template, path, old === undefined ? undefined : objectAt(old, 'template')),
    }),
    ...validateStrategy(objectAt(spec, 'strategy'), 'spec.strategy'),
    ...nonNegative(spec, 'minReadySeconds', 'spec'),
    ...nonNegative(spec, 'revisionHistoryLimit', 'spec'),
    ...nonNegative(spec, 'progressDeadlineSeconds', 'spec'),
    ...invalid(
      deadline !== undefined && deadline <= numberAt(spec, 'minReadySeconds'),
      'spec.progressDeadlineSeconds',
      deadline ?? 0,
      'must be greater than minReadySeconds',
    ),
  ];
}

function validateStrategy(strategy: JsonObject, path: string): Errors {
  const type = stringAt(strategy, 'type');
  const update = maybeObject(strategy, 'rollingUpdate');
  if (type === 'Recreate') {
    return forbidden(
      update !== undefined,
      `${path}.rollingUpdate`,
      "may not be specified when strategy `type` is 'Recreate'",
    );
  }
  if (type !== 'RollingUpdate') {
    return showing('apps.DeploymentStrategy', oneOf(type, path, ['Recreate', 'RollingUpdate'], strategy));
  }
  if (update === undefined) {
    return required(false, `${path}.rollingUpdate`, 'this should be defaulted and never be nil');
  }
  return validateRollingUpdate(update, `${path}.rollingUpdate`);
}

function validateStatus(object: KubeObject, old: KubeObject): Errors {
  const status = statusOf(object);
  return [
    ...validateObjectMetaUpdate(object, old),
    ...nonNegativeCounts(
      status,
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ),
    ...atMost(
      status,
      ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      'replicas',
      'cannot be greater than status.replicas',
    ),
    ...atMost(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than readyReplicas'),
    ...collisionsNotFewer(object, old),
  ];
}
