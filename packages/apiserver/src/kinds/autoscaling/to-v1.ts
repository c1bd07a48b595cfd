import { defined, type JsonObject, type KubeObject, stringifyJson } from '@kubewright/kube';
import {
  has,
  maybeNumber,
  metadataOf,
  numberAt,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
  valueAt,
} from '../../objects/read.ts';
import { changeObject, withField } from '../../objects/change-object.ts';
import { ANNOTATIONS, behaviorFrom, behaviorText, objectsOf, readAnnotation } from './annotations.ts';
import { specToV1, specToV2, statusToV1, statusToV2 } from './spec-to-v1.ts';

type Annotations = Readonly<Record<string, string>>;

const OWN: readonly string[] = Object.values(ANNOTATIONS);
const DEFAULT_UTILIZATION = 80;

function isCpuUtilization(metric: JsonObject): boolean {
  const resource = objectAt(metric, 'resource');
  return (
    stringAt(metric, 'type') === 'Resource' &&
    stringAt(resource, 'name') === 'cpu' &&
    has(objectAt(resource, 'target'), 'averageUtilization')
  );
}

/** An autoscaler of `autoscaling/v2` in `autoscaling/v1`: fields that v1 does not have become annotations. */
export function toV1(object: KubeObject): KubeObject {
  const [spec, status] = [specOf(object), statusOf(object)];
  const cpu = objectsAt(spec, 'metrics').find(isCpuUtilization);
  const target = cpu && valueAt(objectAt(cpu, 'resource', 'target'), 'averageUtilization');
  const kept = annotationsOf(object);
  const annotations = { ...kept, ...annotationsFor(spec, status) };
  const converted = changeObject({ ...object, apiVersion: 'autoscaling/v1' }, (body) => ({
    ...body,
    spec: {
      scaleTargetRef: valueAt(spec, 'scaleTargetRef'),
      ...(has(spec, 'minReplicas') ? { minReplicas: valueAt(spec, 'minReplicas') } : {}),
      maxReplicas: numberAt(spec, 'maxReplicas'),
      ...defined({ targetCPUUtilizationPercentage: target }),
    },
    status: statusInV1(status),
  }));
  return withAnnotations(converted, annotations);
}

function annotationsFor(spec: JsonObject, status: JsonObject): Annotations {
  const others = objectsAt(spec, 'metrics').filter((metric) => !isCpuUtilization(metric));
  const current = objectsAt(status, 'currentMetrics');
  const conditions = objectsAt(status, 'conditions');
  const list = (key: string, items: readonly JsonObject[]): Annotations =>
    items.length === 0 ? {} : { [key]: stringifyJson(items) };
  return {
    ...list(ANNOTATIONS.metrics, others.map(specToV1)),
    ...list(ANNOTATIONS.currentMetrics, current.map(statusToV1)),
    ...(has(spec, 'behavior') ? { [ANNOTATIONS.behavior]: behaviorText(objectAt(spec, 'behavior')) } : {}),
    ...list(ANNOTATIONS.conditions, conditions.map(conditionInV1)),
  };
}

/** In the order of Go's struct. */
function conditionInV1(condition: JsonObject): JsonObject {
  const keys = ['type', 'status', 'lastTransitionTime', 'reason', 'message'];
  const entries = keys.map((key) => [key, valueAt(condition, key)] as const);
  return Object.fromEntries(entries.filter(([key, value]) => value !== null || key === 'lastTransitionTime'));
}

function statusInV1(status: JsonObject): JsonObject {
  const utilization = objectsAt(status, 'currentMetrics')
    .map((metric) => objectAt(metric, 'resource'))
    .filter((resource) => stringAt(resource, 'name') === 'cpu')
    .map((resource) => maybeNumber(objectAt(resource, 'current'), 'averageUtilization'))
    .findLast((percent) => percent !== undefined);
  return {
    ...common(status),
    currentReplicas: numberAt(status, 'currentReplicas'),
    desiredReplicas: numberAt(status, 'desiredReplicas'),
    ...defined({ currentCPUUtilizationPercentage: utilization }),
  };
}

function common(status: JsonObject): JsonObject {
  const kept = ['observedGeneration', 'lastScaleTime'].filter((key) => has(status, key));
  return Object.fromEntries(kept.map((key) => [key, valueAt(status, key)]));
}

/** An autoscaler of `autoscaling/v1` in `autoscaling/v2`, with the fields of its annotations. */
export function toV2(object: KubeObject): KubeObject {
  const [spec, status] = [specOf(object), statusOf(object)];
  const all = object.metadata.annotations ?? {};
  const behavior = behaviorFrom(all[ANNOTATIONS.behavior] ?? '');
  const converted = changeObject({ ...object, apiVersion: 'autoscaling/v2' }, (body) => ({
    ...body,
    spec: {
      scaleTargetRef: valueAt(spec, 'scaleTargetRef'),
      ...(has(spec, 'minReplicas') ? { minReplicas: valueAt(spec, 'minReplicas') } : {}),
      maxReplicas: numberAt(spec, 'maxReplicas'),
      metrics: metricsInV2(spec, all),
      ...defined({ behavior }),
    },
    status: statusInV2(status, all),
  }));
  return withAnnotations(converted, annotationsOf(object));
}

/** The default where the autoscaler has no metrics. */
function metricsInV2(spec: JsonObject, annotations: Annotations): readonly JsonObject[] {
  const others = objectsOf(readAnnotation(annotations[ANNOTATIONS.metrics] ?? ''))?.map(specToV2) ?? [];
  const given = maybeNumber(spec, 'targetCPUUtilizationPercentage');
  if (given === undefined && others.length > 0) return others;
  const target = { type: 'Utilization', averageUtilization: given ?? DEFAULT_UTILIZATION };
  return [...others, { type: 'Resource', resource: { name: 'cpu', target } }];
}

function statusInV2(status: JsonObject, annotations: Annotations): JsonObject {
  const annotated = objectsOf(readAnnotation(annotations[ANNOTATIONS.currentMetrics] ?? ''))?.map(statusToV2);
  const utilization = maybeNumber(status, 'currentCPUUtilizationPercentage');
  const cpu = {
    type: 'Resource',
    resource: { name: 'cpu', current: { averageUtilization: utilization ?? 0 } },
  };
  const conditions = objectsOf(readAnnotation(annotations[ANNOTATIONS.conditions] ?? ''));
  const current = numberAt(status, 'currentReplicas');
  return {
    ...common(status),
    ...(current === 0 ? {} : { currentReplicas: current }),
    desiredReplicas: numberAt(status, 'desiredReplicas'),
    currentMetrics: annotated ?? (utilization === undefined ? null : [cpu]),
    ...defined({ conditions }),
  };
}

/** Without the annotations that hold fields. */
function annotationsOf({ metadata: { annotations = {} } }: KubeObject): Annotations {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !OWN.includes(key)));
}

function withAnnotations(object: KubeObject, annotations: Annotations): KubeObject {
  const value = Object.keys(annotations).length === 0 ? undefined : annotations;
  return changeObject(object, (body) =>
    withField(body, 'metadata', withField(metadataOf(object), 'annotations', value)),
  );
}
