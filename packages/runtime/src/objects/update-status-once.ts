import type { Ref, WriteOptions } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { ManagerClient } from './manager-client.ts';
import { type StatusOf, updateStatus } from './update-status.ts';

/**
 * {@link updateStatus} for objects whose story ends: once their status is final, nothing is written over it, neither by
 * this call nor by one that knew an older state. `isFinal` judges a status.
 *
 * The guard is the resourceVersion, which no two states share, those of an object that was made anew included: who
 * decided on an older state gets a conflict, looks again, and finds the end already written.
 *
 * @returns the object as stored, or `object` itself when its status is final or already as wanted.
 */
export async function updateStatusOnce<T extends KubeObject>(
  manager: ManagerClient,
  ref: Ref<T>,
  object: Stored<NoInfer<T>>,
  status: StatusOf<NoInfer<T>>,
  { isFinal, ...options }: WriteOptions & { readonly isFinal: (status: T['status']) => boolean },
): Promise<Stored<T>> {
  const before = object['status'] as T['status'];
  if (before !== undefined && isFinal(before)) return object;
  return updateStatus(manager, ref, object, status, options);
}
