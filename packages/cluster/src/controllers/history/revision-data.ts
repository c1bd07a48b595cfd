import {
  type appsv1,
  type corev1,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  type Stored,
} from '@kubewright/kube';

const PATCH = '$patch';

/**
 * What a revision keeps of a workload: a strategic merge patch that brings its template back, and nothing else of it.
 * `kubectl rollout undo` applies it as it is.
 */
export function revisionData(template: corev1.PodTemplateSpec): JsonObject {
  return { spec: { template: { [PATCH]: 'replace', ...(template as JsonObject) } } };
}

/** The template that a revision keeps; undefined if it keeps none. Data is whatever somebody wrote. */
export function templateOf({ data }: Stored<appsv1.ControllerRevision>): corev1.PodTemplateSpec | undefined {
  const template = objectAt(objectAt(data, 'spec'), 'template');
  if (template === undefined) return undefined;
  const { [PATCH]: _, ...rest } = template;
  return rest;
}

function objectAt(value: Json | undefined, key: string): JsonObject | undefined {
  const found = isJsonObject(value) ? getOwn(value, key) : undefined;
  return isJsonObject(found) ? found : undefined;
}
