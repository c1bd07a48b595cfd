import { apiVersionOf, type KubeObject } from '@kubewright/kube';
import type { ResourceDefinition } from './resource-definition.ts';

/** A version of a resource, for which objects of other versions are read. */
export type View = Pick<ResourceDefinition, 'group' | 'version' | 'fromOther'>;

/** The object in another version of its group. A conversion keeps what the object is stored under: its type stays. */
export function inVersion<T extends KubeObject>(object: T, view: View): T {
  const apiVersion = apiVersionOf(view);
  if (object.apiVersion === apiVersion) return object;
  const renamed = { ...object, apiVersion };
  return view.fromOther === undefined ? renamed : (view.fromOther(renamed) as T);
}

/** An object of this version in the version in which it is stored. */
export function inStorageVersion(
  { group, storageVersion, toStorage }: ResourceDefinition,
  object: KubeObject,
): KubeObject {
  const apiVersion = apiVersionOf({ group, version: storageVersion });
  if (object.apiVersion === apiVersion) return object;
  const renamed = { ...object, apiVersion };
  return toStorage === undefined ? renamed : toStorage(renamed);
}
