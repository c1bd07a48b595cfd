import type { KubeObject } from '@kubewright/kube';

/** The object, guarded: the server answers 409 when the live object has changed since `live` was read. */
export function atVersion(object: KubeObject, live: KubeObject): KubeObject {
  const { resourceVersion } = live.metadata;
  if (resourceVersion === undefined) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
