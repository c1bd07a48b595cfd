import { getOwn, isJsonObject, type JsonObject, type Named } from '@kubewright/kube';

/** A captured value as an object with a name; undefined when it is none. Only these three fields are checked. */
export function namedObject(value: JsonObject): Named | undefined {
  const { apiVersion, kind, metadata } = value;
  const name = isJsonObject(metadata) ? getOwn(metadata, 'name') : undefined;
  if (!isJsonObject(metadata) || typeof name !== 'string' || name === '') return undefined;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  return { ...value, apiVersion, kind, metadata: { ...metadata, name } };
}
