import { type autoscalingv2, type JsonObject, parseApiVersion } from '@kubewright/kube';
import { isPathSegmentName } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { specValidation } from '../../model/spec-validation.ts';
import { nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { statusErrors } from '../../validation/spec-errors.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { itemsAt, objectAt } from '../../objects/read.ts';
import { clearStatus, keepOld, STATUS_RESET, statusStrategy } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  defaults,
  inField,
  inOrder,
  when,
  withField,
} from '../../objects/change-object.ts';
import { validateBehavior, validateMetrics } from './validate-metrics.ts';

type Spec = autoscalingv2.HorizontalPodAutoscalerSpec;

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
  (key: string, ofRules: JsonObject): Change =>
  (behavior) =>
    withField(behavior, key, { ...ofRules, ...objectAt(behavior, key) });

const specDefaults = inOrder(
  defaults<Spec>({ minReplicas: 1 }),
  when(
    (spec) => itemsAt(spec, 'metrics').length === 0,
    (spec) => withField(spec, 'metrics', [CPU]),
  ),
  inField('behavior', inOrder(rules('scaleUp', UP), rules('scaleDown', DOWN))),
);

/** `autoscaling/v2 HorizontalPodAutoscaler`. */
export const horizontalPodAutoscaler: Strategy = {
  default: (object) => changeObject(object, inField('spec', specDefaults)),
  prepareForCreate: clearStatus(NO_STATUS),
  prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
  ...specValidation(RULES, validateSpec),
  resetFields: STATUS_RESET,
};

export const horizontalPodAutoscalerStatus: Strategy = statusStrategy((object, old) => [
  ...validateObjectMetaUpdate(object, old),
  ...statusErrors<autoscalingv2.HorizontalPodAutoscalerStatus>(
    (status) => status.nonNegative('currentReplicas', 'desiredReplicas'),
    object,
    old,
  ),
]);

function validateSpec(spec: Field<Spec>): void {
  const behavior = spec.maybeAt('behavior');
  validateBounds(spec);
  validateTarget(spec.at('scaleTargetRef'));
  validateMetrics(spec);
  if (behavior !== undefined) validateBehavior(behavior);
}

function validateBounds(spec: Field<Spec>): void {
  const [least, most] = [spec.maybeNumber('minReplicas'), spec.at('maxReplicas')];
  const value = spec.number('maxReplicas');
  if (least !== undefined && least < 1)
    spec.at('minReplicas').addInvalid('must be greater than or equal to 1', { value: least });
  if (value === 0) most.addRequired('must be set and greater than 0');
  if (value < 0) most.addInvalid('must be greater than or equal to 1', { value });
  if (least !== undefined && value < least)
    most.addInvalid('must be greater than or equal to `minReplicas`', { value });
}

function validateTarget(target: Field<autoscalingv2.CrossVersionObjectReference>): void {
  const value = target.text('apiVersion');
  target.requireMatch('kind', isPathSegmentName);
  target.requireMatch('name', isPathSegmentName);
  if (parseApiVersion(value).group === '' && !target.is('kind', 'ReplicationController'))
    target.at('apiVersion').addInvalid('apiVersion must specify API group', { value });
}
