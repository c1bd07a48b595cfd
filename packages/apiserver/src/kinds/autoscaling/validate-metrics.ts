import type { autoscalingv2 } from '@kubewright/kube';
import type { Field } from '../../validation/field.ts';
import { isPositive } from '../../validation/quantities.ts';

type Spec = Field<autoscalingv2.HorizontalPodAutoscalerSpec>;
type Metric = Field<autoscalingv2.MetricSpec>;
type Source = 'containerResource' | 'external' | 'object' | 'pods' | 'resource';

/** The types of metrics, and the field of each. */
const SOURCES: ReadonlyMap<string, Source> = new Map([
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
]);
const TYPES = [...SOURCES.keys()];
const LONGEST_PERIOD = 1800;
const LONGEST_WINDOW = 3600;

/** `spec.metrics` of a HorizontalPodAutoscaler: one source each, with a target. */
export function validateMetrics(spec: Spec): void {
  const metrics = spec.items('metrics');
  const counted = metrics.some((metric) => metric.is('type', 'Object') || metric.is('type', 'External'));
  for (const metric of metrics) validateMetric(metric);
  if (spec.maybeNumber('minReplicas') === 0 && !counted) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
    spec.at('metrics').addForbidden(detail);
  }
}

function validateMetric(metric: Metric): void {
  const expected = SOURCES.get(metric.text('type'));
  const present = [...SOURCES.values()].filter((key) => metric.has(key));
  const [only] = present;
  metric.requireText('type', 'must specify a metric source type');
  metric.oneOf('type', TYPES);
  if (only !== undefined) validateSource(metric, only);
  if (expected === undefined) metric.oneOf('type', TYPES);
  else metric.require(expected, 'must populate information for the given metric source');
  if (present.length < 2) return;
  for (const key of present)
    if (key !== expected) metric.at(key).addForbidden('must populate the given metric source only');
}

function validateSource(metric: Metric, key: Source): void {
  const target = metric.at(key).at('target');
  if (key !== 'resource' && key !== 'containerResource') return validateTarget(target);
  const [utilization, value] = [target.has('averageUtilization'), target.has('averageValue')];
  metric.at(key).requireText('name', 'must specify a resource name');
  validateTarget(target);
  if (!utilization && !value)
    target.at('averageUtilization').addRequired('must set either a target raw value or a target utilization');
  if (utilization && value)
    target.at('averageValue').addForbidden('may not set both a target raw value and a target utilization');
}

function validateTarget(target: Field<autoscalingv2.MetricTarget>): void {
  const [type, value] = [target.text('type'), target.maybeNumber('averageUtilization')];
  target.requireText('type', 'must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    target.at('type').addInvalid('must be either Utilization, Value, or AverageValue', { value: type });
  for (const key of ['value', 'averageValue'] as const) {
    const quantity = target.maybeText(key);
    if (quantity !== undefined && !isPositive(quantity)) target.at(key).addInvalid('must be positive');
  }
  if (value !== undefined && value < 1)
    target.at('averageUtilization').addInvalid('must be greater than 0', { value });
}

/** `spec.behavior`: how fast, in either direction. */
export function validateBehavior(behavior: Field<autoscalingv2.HorizontalPodAutoscalerBehavior>): void {
  for (const rules of [behavior.maybeAt('scaleUp'), behavior.maybeAt('scaleDown')])
    if (rules !== undefined) validateRules(rules);
}

function validateRules(rules: Field<autoscalingv2.HPAScalingRules>): void {
  const [window, value] = [
    rules.at('stabilizationWindowSeconds'),
    rules.number('stabilizationWindowSeconds'),
  ];
  if (value < 0) window.addInvalid('must be greater than or equal to zero', { value });
  if (value > LONGEST_WINDOW) window.addInvalid(`must be less than or equal to ${LONGEST_WINDOW}`, { value });
  rules.oneOfIfSet('selectPolicy', ['Disabled', 'Max', 'Min']);
  if (rules.count('policies') === 0) rules.at('policies').addRequired('must specify at least one Policy');
  for (const policy of rules.items('policies')) validatePolicy(policy);
}

function validatePolicy(policy: Field<autoscalingv2.HPAScalingPolicy>): void {
  const value = policy.number('periodSeconds');
  policy.oneOf('type', ['Percent', 'Pods']);
  policy.positive('value', 'periodSeconds');
  if (value > LONGEST_PERIOD)
    policy.at('periodSeconds').addInvalid(`must be less than or equal to ${LONGEST_PERIOD}`, { value });
}
