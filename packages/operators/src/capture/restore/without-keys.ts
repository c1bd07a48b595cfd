import type { JsonObject } from '@kubewright/kube';

/** The object without these fields. Its own properties alone, also those that are called as one of every object. */
export function withoutKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
