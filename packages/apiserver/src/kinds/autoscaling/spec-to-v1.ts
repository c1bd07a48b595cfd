import type { Json, JsonObject } from '@kubewright/kube';
import { has, objectAt, stringAt, valueAt } from '../../objects/read.ts';

/** Only fields that are set: Go omits nil pointers. Keys in the order of Go's structs. */
function object(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given) as JsonObject;
}

type Convert = (source: JsonObject) => JsonObject;
type Converts = Readonly<Record<string, Convert>>;

const FIELDS: Readonly<Record<string, string>> = {
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
  External: 'external',
};

/** A metric with the field of its type converted; of an unknown type only the type. */
function convertMetric(metric: JsonObject, converts: Converts): JsonObject {
  const type = stringAt(metric, 'type');
  const field = FIELDS[type] ?? '';
  const convert = converts[field];
  if (convert === undefined || !has(metric, field)) return { type };
  return { type, [field]: convert(objectAt(metric, field)) };
}

/** `spec.metrics` of v2 as the annotation of v1 has it. */
export const specToV1: Convert = (metric) =>
  convertMetric(metric, {
    object: (source) => {
      const target = objectAt(source, 'target');
      return object({
        target: reference(objectAt(source, 'describedObject')),
        metricName: stringAt(objectAt(source, 'metric'), 'name'),
        targetValue: valueAt(target, 'value') ?? '0',
        selector: valueAt(objectAt(source, 'metric'), 'selector'),
        averageValue: valueAt(target, 'averageValue'),
      });
    },
    pods: (source) =>
      object({
        metricName: stringAt(objectAt(source, 'metric'), 'name'),
        targetAverageValue: valueAt(objectAt(source, 'target'), 'averageValue') ?? '0',
        selector: valueAt(objectAt(source, 'metric'), 'selector'),
      }),
    resource: (source) => resourceSpec(source),
    containerResource: (source) =>
      object({ ...resourceSpec(source), container: stringAt(source, 'container') }),
    external: (source) => {
      const target = objectAt(source, 'target');
      return object({
        metricName: stringAt(objectAt(source, 'metric'), 'name'),
        metricSelector: valueAt(objectAt(source, 'metric'), 'selector'),
        targetValue: valueAt(target, 'value'),
        targetAverageValue: valueAt(target, 'averageValue'),
      });
    },
  });

function reference(source: JsonObject): JsonObject {
  return object({
    kind: valueAt(source, 'kind'),
    name: valueAt(source, 'name'),
    apiVersion: valueAt(source, 'apiVersion'),
  });
}

function resourceSpec(source: JsonObject): JsonObject {
  const target = objectAt(source, 'target');
  return object({
    name: stringAt(source, 'name'),
    targetAverageUtilization: valueAt(target, 'averageUtilization'),
    targetAverageValue: valueAt(target, 'averageValue'),
  });
}

/** A metric of v1's annotation as v2 has it. */
export const specToV2: Convert = (metric) =>
  convertMetric(metric, {
    object: (source) => {
      const average = valueAt(source, 'averageValue');
      const value = valueAt(source, 'targetValue');
      // v1 cannot leave the value out: beside an average, 0 means none.
      const target =
        average === null
          ? object({ type: 'Value', value })
          : object({ type: 'AverageValue', value: value === '0' ? undefined : value, averageValue: average });
      return {
        describedObject: valueAt(source, 'target'),
        target,
        metric: identifier(source, 'selector'),
      };
    },
    pods: (source) => ({
      metric: identifier(source, 'selector'),
      target: { type: 'AverageValue', averageValue: valueAt(source, 'targetAverageValue') },
    }),
    resource: (source) => ({ name: stringAt(source, 'name'), target: resourceTarget(source) }),
    containerResource: (source) => ({
      name: stringAt(source, 'name'),
      target: resourceTarget(source),
      container: stringAt(source, 'container'),
    }),
    external: (source) => ({
      metric: identifier(source, 'metricSelector'),
      target: object({
        type: has(source, 'targetValue') ? 'Value' : 'AverageValue',
        value: valueAt(source, 'targetValue'),
        averageValue: valueAt(source, 'targetAverageValue'),
      }),
    }),
  });

function resourceTarget(source: JsonObject): JsonObject {
  return object({
    type: has(source, 'targetAverageUtilization') ? 'Utilization' : 'AverageValue',
    averageValue: valueAt(source, 'targetAverageValue'),
    averageUtilization: valueAt(source, 'targetAverageUtilization'),
  });
}

function identifier(source: JsonObject, selector: string): JsonObject {
  return object({ name: stringAt(source, 'metricName'), selector: valueAt(source, selector) });
}

/** `status.currentMetrics` of v2 as the annotation of v1 has it. */
export const statusToV1: Convert = (metric) =>
  convertMetric(metric, {
    object: (source) => {
      const current = objectAt(source, 'current');
      return object({
        target: reference(objectAt(source, 'describedObject')),
        metricName: stringAt(objectAt(source, 'metric'), 'name'),
        currentValue: valueAt(current, 'value') ?? '0',
        selector: valueAt(objectAt(source, 'metric'), 'selector'),
        averageValue: valueAt(current, 'averageValue'),
      });
    },
    pods: (source) =>
      object({
        metricName: stringAt(objectAt(source, 'metric'), 'name'),
        currentAverageValue: valueAt(objectAt(source, 'current'), 'averageValue') ?? '0',
        selector: valueAt(objectAt(source, 'metric'), 'selector'),
      }),
    resource: (source) => resourceStatus(source),
    containerResource: (source) =>
      object({ ...resourceStatus(source), container: stringAt(source, 'container') }),
    external: (source) => {
      const current = objectAt(source, 'current');
      return object({
        metricName: stringAt(objectAt(source, 'metric'), 'name'),
        metricSelector: valueAt(objectAt(source, 'metric'), 'selector'),
        currentValue: valueAt(current, 'value') ?? '0',
        currentAverageValue: valueAt(current, 'averageValue'),
      });
    },
  });

function resourceStatus(source: JsonObject): JsonObject {
  const current = objectAt(source, 'current');
  return object({
    name: stringAt(source, 'name'),
    currentAverageUtilization: valueAt(current, 'averageUtilization'),
    currentAverageValue: valueAt(current, 'averageValue') ?? '0',
  });
}

/** A metric of the status in v1's annotation as v2 has it. */
export const statusToV2: Convert = (metric) =>
  convertMetric(metric, {
    object: (source) => ({
      metric: identifier(source, 'selector'),
      current: object({
        value: valueAt(source, 'currentValue'),
        averageValue: valueAt(source, 'averageValue'),
      }),
      describedObject: valueAt(source, 'target'),
    }),
    pods: (source) => ({
      metric: identifier(source, 'selector'),
      current: { averageValue: valueAt(source, 'currentAverageValue') },
    }),
    resource: (source) => ({ name: stringAt(source, 'name'), current: resourceCurrent(source) }),
    containerResource: (source) => ({
      name: stringAt(source, 'name'),
      current: resourceCurrent(source),
      container: stringAt(source, 'container'),
    }),
    external: (source) => ({
      metric: identifier(source, 'metricSelector'),
      current: object({
        value: valueAt(source, 'currentValue'),
        averageValue: valueAt(source, 'currentAverageValue'),
      }),
    }),
  });

function resourceCurrent(source: JsonObject): JsonObject {
  return object({
    averageValue: valueAt(source, 'currentAverageValue'),
    averageUtilization: valueAt(source, 'currentAverageUtilization'),
  });
}
