import type { Ref, WriteOptions } from '@kubewright/client';
import { keyOf } from '@kubewright/client';
import { type Json, jsonEqual, type KubeObject } from '@kubewright/kube';
import type { ManagerClient } from './manager-client.ts';

/**
 * Makes `status` the status of `object`, if it is not already: an unchanged status costs no call and wakes nobody.
 * Guarded by the object's resourceVersion: a conflict means that somebody wrote since it was read.
 *
 * @returns the object as stored, or `object` itself when nothing had to be written.
 */
export async function updateStatus<T extends KubeObject>(
  { client }: ManagerClient,
  ref: Ref<T>,
  object: T,
  status: Json,
  options: WriteOptions = {},
): Promise<T> {
  if (jsonEqual(object['status'], status)) return object;
  const { resourceVersion } = object.metadata;
  // Not `test`: a failed test is 422 Invalid, an old version is the 409 Conflict that callers look for.
  const body = [
    ...(resourceVersion === undefined
      ? []
      : [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }]),
    { op: 'add', path: '/status', value: status },
  ];
  return client.patch(ref, keyOf(object), { type: 'json', body }, { ...options, subresource: 'status' });
}
