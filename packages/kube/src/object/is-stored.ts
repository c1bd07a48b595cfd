import type { KubeObject, Stored } from './kube-object.ts';

/** Whether a server has given the object what it gives all that it stores. */
export function isStored<T extends KubeObject>(object: T): object is Stored<T> {
  const { name, uid, resourceVersion } = object.metadata;
  return name !== undefined && uid !== undefined && resourceVersion !== undefined;
}
