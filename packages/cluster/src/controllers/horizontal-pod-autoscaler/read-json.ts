import { getOwn, isJsonArray, isJsonObject, type JsonObject } from '@kubewright/kube';

/** Readers of responses whose shape is not known. */
export function stringIn(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}

export function objectsIn(object: JsonObject, key: string): readonly JsonObject[] {
  const value = getOwn(object, key);
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}
