import { getOwn, isJsonArray, isJsonObject, type JsonObject } from '@kubewright/kube';

/** Readers of answers whose shape nobody vouches for. */
export function stringIn(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}

export function objectsIn(object: JsonObject, key: string): readonly JsonObject[] {
  const value = getOwn(object, key);
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}
