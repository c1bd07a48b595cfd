import type { JsonObject } from '@kubewright/kube';
import {
  type Errors,
  each,
  forbidden,
  inside,
  invalid,
  NONE,
  oneOf,
  positive,
  required,
} from '../../validation/errors.ts';
import { isPositive } from '../../validation/quantities.ts';
import {
  has,
  maybeNumber,
  maybeObject,
  maybeString,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
} from '../../objects/read.ts';

/** The types of metrics, and the field of each. */
const SOURCES: ReadonlyMap<string, string> = new Map([
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
export function validateMetrics(spec: JsonObject): Errors {
  const metrics = objectsAt(spec, 'metrics');
  const counted = metrics.some((metric) => ['Object', 'External'].includes(stringAt(metric, 'type')));
  return [
    ...each(metrics, 'spec.metrics', validateMetric),
    ...forbidden(
      maybeNumber(spec, 'minReplicas') === 0 && !counted,
      'spec.metrics',
      'must specify at least one Object or External metric to support scaling to zero replicas',
    ),
  ];
}

function validateMetric(metric: JsonObject, path: string): Errors {
  const type = stringAt(metric, 'type');
  const expected = SOURCES.get(type);
  const present = [...SOURCES.values()].filter((key) => has(metric, key));
  const [only] = present;
  const wrongType = oneOf(type, `${path}.type`, TYPES);
  return [
    ...required(type !== '', `${path}.type`, 'must specify a metric source type'),
    ...wrongType,
    ...(only === undefined ? NONE : validateSource(objectAt(metric, only), only, `${path}.${only}`)),
    ...(expected === undefined
      ? wrongType
      : required(
          has(metric, expected),
          `${path}.${expected}`,
          'must populate information for the given metric source',
        )),
    ...present
      .filter((key) => present.length > 1 && key !== expected)
      .flatMap((key) => forbidden(true, `${path}.${key}`, 'must populate the given metric source only')),
  ];
}

function validateSource(source: JsonObject, kind: string, path: string): Errors {
  const target = objectAt(source, 'target');
  const at = `${path}.target`;
  if (kind !== 'resource' && kind !== 'containerResource') return validateTarget(target, at);
  const [utilization, value] = [has(target, 'averageUtilization'), has(target, 'averageValue')];
  return [
    ...required(stringAt(source, 'name') !== '', `${path}.name`, 'must specify a resource name'),
    ...validateTarget(target, at),
    ...required(
      utilization || value,
      `${at}.averageUtilization`,
      'must set either a target raw value or a target utilization',
    ),
    ...forbidden(
      utilization && value,
      `${at}.averageValue`,
      'may not set both a target raw value and a target utilization',
    ),
  ];
}

function validateTarget(target: JsonObject, path: string): Errors {
  const type = stringAt(target, 'type');
  const known = ['Utilization', 'Value', 'AverageValue'].includes(type);
  const utilization = maybeNumber(target, 'averageUtilization');
  const quantity = (key: string): Errors => {
    const value = maybeString(target, key);
    return value === undefined
      ? NONE
      : invalid(!isPositive(value), `${path}.${key}`, value, 'must be positive');
  };
  return [
    ...required(type !== '', `${path}.type`, 'must specify a metric target type'),
    ...invalid(!known, `${path}.type`, type, 'must be either Utilization, Value, or AverageValue'),
    ...quantity('value'),
    ...quantity('averageValue'),
    ...invalid(
      utilization !== undefined && utilization < 1,
      `${path}.averageUtilization`,
      utilization ?? 0,
      'must be greater than 0',
    ),
  ];
}

/** `spec.behavior`: how fast, in either direction. */
export function validateBehavior(behavior: JsonObject): Errors {
  return ['scaleUp', 'scaleDown'].flatMap((key) =>
    inside(maybeObject(behavior, key), (rules) => validateRules(rules, `spec.behavior.${key}`)),
  );
}

function validateRules(rules: JsonObject, path: string): Errors {
  const window = maybeNumber(rules, 'stabilizationWindowSeconds') ?? 0;
  const at = `${path}.stabilizationWindowSeconds`;
  const policy = maybeString(rules, 'selectPolicy');
  const policies = objectsAt(rules, 'policies');
  return [
    ...invalid(window < 0, at, window, 'must be greater than or equal to zero'),
    ...invalid(window > LONGEST_WINDOW, at, window, `must be less than or equal to ${LONGEST_WINDOW}`),
    ...(policy === undefined ? NONE : oneOf(policy, `${path}.selectPolicy`, ['Disabled', 'Max', 'Min'])),
    ...required(policies.length > 0, `${path}.policies`, 'must specify at least one Policy'),
    ...each(policies, `${path}.policies`, validatePolicy),
  ];
}

function validatePolicy(policy: JsonObject, path: string): Errors {
  const period = numberAt(policy, 'periodSeconds');
  return [
    ...oneOf(stringAt(policy, 'type'), `${path}.type`, ['Percent', 'Pods']),
    ...positive(numberAt(policy, 'value'), `${path}.value`),
    ...positive(period, `${path}.periodSeconds`),
    ...invalid(
      period > LONGEST_PERIOD,
      `${path}.periodSeconds`,
      period,
      `must be less than or equal to ${LONGEST_PERIOD}`,
    ),
  ];
}
