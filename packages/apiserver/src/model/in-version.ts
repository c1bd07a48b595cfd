import { apiVersionOf, type KubeObject } from '@kubewright/kube';
import type { ResourceDefinition } from './resource-definition.ts';

/** A version of a resource, for which objects of other versions are read. */
export type View = Pick<ResourceDefinition, 'group' | 'version' | 'fromOther' | 'conversion'>;

/**
 * The object in another version of its group. A conversion keeps what the object is stored under: its type stays.
 * Throws `ConversionNeeded` where a webhook has not converted it yet.
 */
export function inVersion<T extends KubeObject>(object: T, view: View): T {
  const apiVersion = apiVersionOf(view);
  if (object.apiVersion === apiVersion) return object;
  const converted = convertedTo(apiVersion, object, view);
  return view.fromOther === undefined ? converted : (view.fromOther(converted) as T);
}

/** An object of this version in the version in which it is stored. */
export function inStorageVersion(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const { group, storageGroup = group, storageVersion, toStorage } = definition;
  const apiVersion = apiVersionOf({ group: storageGroup, version: storageVersion });
  if (object.apiVersion === apiVersion) return object;
  const converted = convertedTo(apiVersion, object, definition);
  return toStorage === undefined ? converted : toStorage(converted);
}

function convertedTo<T extends KubeObject>(apiVersion: string, object: T, { conversion }: View): T {
  return conversion === undefined ? { ...object, apiVersion } : (conversion.of(object, apiVersion) as T);
}
