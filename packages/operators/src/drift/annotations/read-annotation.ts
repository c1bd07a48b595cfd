import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  type KubeObject,
  parseJson,
} from '@kubewright/kube';

/** An annotation of an object. */
export function readAnnotation(object: KubeObject | undefined, key: string): string | undefined {
  const annotations = object?.metadata.annotations ?? {};
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

/** The text as JSON; undefined if it is not valid. */
export function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}

/** The text as a list of JSON objects; undefined if it is anything else. Any user may have written it. */
export function objectsOf(text: string): readonly JsonObject[] | undefined {
  const json = jsonOf(text);
  return isJsonArray(json) && json.every((entry) => isJsonObject(entry)) ? json : undefined;
}

export function textAt(from: JsonObject, key: string): string | undefined {
  const value = getOwn(from, key);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(from: JsonObject, key: string): number | undefined {
  const value = getOwn(from, key);
  return typeof value === 'number' ? value : undefined;
}
