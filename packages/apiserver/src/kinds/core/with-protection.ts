import type { KubeObject } from '@kubewright/kube';

/** What is in use is kept until it is not: by a finalizer, which its controller takes away (`StorageObjectInUseProtection`). */
export function withProtection(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}
