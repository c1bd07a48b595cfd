import type { KubeObject } from '@kubewright/kube';

/** Drops `metadata.managedFields`: often half of an object, and few controllers read it. */
export function dropManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Keeps `apiVersion`, `kind` and `metadata` only. */
export function keepMetadata<T extends KubeObject>(object: T): T {
  return { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata } as T;
}
