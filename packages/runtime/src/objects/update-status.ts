import type { Ref, WriteOptions } from '@kubewright/client';
import { keyOf } from '@kubewright/client';
import { type Json, jsonEqual, type KubeObject, type Stored } from '@kubewright/kube';
import type { ManagerClient } from './manager-client.ts';

/** The status of an object that has one. */
export type StatusOf<T extends KubeObject> = NonNullable<T['status']>;

/**
 * Writes the status of `object`. An unchanged status sends no request and causes no event. Guarded by the object's
 * resourceVersion: rejects with a conflict when the object was written since it was read.
 *
 * @returns the object as stored, or `object` itself when nothing had to be written.
 */
export async function updateStatus<T extends KubeObject>(
  { client }: ManagerClient,
  ref: Ref<T>,
  object: Stored<NoInfer<T>>,
  status: StatusOf<NoInfer<T>>,
  options: WriteOptions = {},
): Promise<Stored<T>> {
  if (jsonEqual(object['status'], status)) return object;
  const { resourceVersion } = object.metadata;
  // Not `test`: a failed test is 422 Invalid, an old version is the 409 Conflict that callers look for.
  const body = [
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/status', value: status as Json },
  ];
  return client.patch(ref, keyOf(object), { type: 'json', body }, { ...options, subresource: 'status' });
}
