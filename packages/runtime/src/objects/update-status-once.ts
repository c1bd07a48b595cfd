import type { Ref, WriteOptions } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { ManagerClient } from './manager-client.ts';
import { type StatusOf, updateStatus } from './update-status.ts';

/**
 * {@link updateStatus} for objects that complete: a status for which `isFinal` holds is never overwritten, neither by this
 * call nor after a stale read.
 *
 * The resourceVersion guards it; no two states share one, those of a recreated object included. A caller that decided on an
 * older state gets a conflict, and finds the final status at its next read.
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
