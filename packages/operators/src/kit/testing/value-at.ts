import { getOwn, isJsonArray, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';

/** The value at a dotted path of plain field names and indexes: `spec.containers.0.image`. */
export function valueAt(object: KubeObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const part of path.split('.'))
    value = isJsonObject(value) ? getOwn(value, part) : isJsonArray(value) ? value[Number(part)] : undefined;
  return value;
}
