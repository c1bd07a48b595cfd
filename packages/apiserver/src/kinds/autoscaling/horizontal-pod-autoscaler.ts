import { type JsonObject, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { isPathSegmentName } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  invalid,
  invalidFor,
  nameIsDnsSubdomain,
  NONE,
  nonNegative,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  has,
  itemsAt,
  maybeNumber,
  numberAt,
  objectAt,
  specOf,
  statusOf,
  stringAt,
} from '../../objects/read.ts';
import { clearStatus, keepOld, STATUS_RESET, statusStrategy } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  inField,
  inOrder,
  orDefaultPointer,
  when,
  withField,
} from '../../objects/change-object.ts';
import { validateBehavior, validateMetrics } from './validate-metrics.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const NO_STATUS = { currentMetrics: null, desiredReplicas: 0 };

const UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
const CPU = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const rules =
  (key: string, defaults: JsonObject): Change =>
  (behavior) =>
    withField(behavior, key, { ...defaults, ...objectAt(behavior, key) });

const defaults: Change = inField(
  'spec',
  inOrder(
    (spec) => orDefaultPointer(spec, 'minReplicas', 1),
    when(
      (spec) => itemsAt(spec, 'metrics').length === 0,
      (spec) => withField(spec, 'metrics', [CPU]),
    ),
    inField('behavior', inOrder(rules('scaleUp', UP), rules('scaleDown', DOWN))),
  ),
);

/** `autoscaling/v2 HorizontalPodAutoscaler`. */
export const horizontalPodAutoscaler: Strategy = {
  default: (object) => changeObject(object, defaults),
  prepareForCreate: clearStatus(NO_STATUS),
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...validateSpec(specOf(object))],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateSpec(specOf(object)),
  ],
  resetFields: STATUS_RESET,
};

export const horizontalPodAutoscalerStatus: Strategy = statusStrategy(validateStatus);

function validateStatus(object: KubeObject, old: KubeObject): Errors {
  return [
    ...validateObjectMetaUpdate(object, old),
    ...nonNegative(statusOf(object), 'currentReplicas', 'status'),
    ...nonNegative(statusOf(object), 'desiredReplicas', 'status'),
  ];
}

function validateSpec(spec: JsonObject, old?: JsonObject): Errors {
  return [
    ...validateBounds(maybeNumber(spec, 'minReplicas'), numberAt(spec, 'maxReplicas')),
    ...validateTarget(objectAt(spec, 'scaleTargetRef'), old && objectAt(old, 'scaleTargetRef')),
    ...validateMetrics(spec),
    ...(has(spec, 'behavior') ? validateBehavior(objectAt(spec, 'behavior')) : NONE),
  ];
}

function validateBounds(least: number | undefined, most: number): Errors {
  return [
    ...invalid(
      least !== undefined && least < 1,
      'spec.minReplicas',
      least ?? 0,
      'must be greater than or equal to 1',
    ),
    ...required(most !== 0, 'spec.maxReplicas', 'must be set and greater than 0'),
    ...invalid(most < 0, 'spec.maxReplicas', most, 'must be greater than or equal to 1'),
    ...invalid(
      least !== undefined && most < least,
      'spec.maxReplicas',
      most,
      'must be greater than or equal to `minReplicas`',
    ),
  ];
}

function validateTarget(target: JsonObject, old: JsonObject | undefined): Errors {
  const apiVersion = stringAt(target, 'apiVersion');
  const core =
    parseApiVersion(apiVersion).group === '' && stringAt(target, 'kind') !== 'ReplicationController';
  const same = ['apiVersion', 'kind'].every((key) => old?.[key] === target[key]);
  const named = (key: string): Errors => {
    const value = stringAt(target, key);
    const path = `spec.scaleTargetRef.${key}`;
    return value === '' ? required(false, path) : invalidFor(path, value, isPathSegmentName(value));
  };
  return [
    ...named('kind'),
    ...named('name'),
    ...invalid(
      core && (old === undefined || !same),
      'spec.scaleTargetRef.apiVersion',
      apiVersion,
      'apiVersion must specify API group',
    ),
  ];
}
