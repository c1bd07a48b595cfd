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

/** What a server stores of all annotations of an object, in bytes. No text that is stored is longer. */
export const MOST_BYTES = 262_144;

/** The text as JSON; undefined if it is not valid, or longer than a server stores. */
export function jsonOf(text: string): Json | undefined {
  try {
    return text.length > MOST_BYTES ? undefined : parseJson(text);
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}

/** The most entries of a list in an annotation. A longer list is not read. */
export const MOST_ENTRIES = 100;

/**
 * The text as a list of JSON objects; undefined if it is anything else, or has more than {@link MOST_ENTRIES}. Any user
 * may have written it.
 */
export function objectsOf(text: string): readonly JsonObject[] | undefined {
  const json = jsonOf(text);
  if (!isJsonArray(json) || json.length > MOST_ENTRIES) return undefined;
  return json.every((entry) => isJsonObject(entry)) ? json : undefined;
}

export function textAt(from: JsonObject, key: string): string | undefined {
  const value = getOwn(from, key);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(from: JsonObject, key: string): number | undefined {
  const value = getOwn(from, key);
  return typeof value === 'number' ? value : undefined;
}

/** A member that is an object; else an empty one. */
export function objectAt(from: JsonObject | undefined, key: string): JsonObject {
  const value = memberOf(from, key);
  return isJsonObject(value) ? value : {};
}

/** A member of what may be an object. */
export function memberOf(from: Json | undefined, key: string): Json | undefined {
  return isJsonObject(from) ? getOwn(from, key) : undefined;
}
