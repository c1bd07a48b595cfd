import { ignoreNotFound, keyOf, type Ref, type WriteOptions } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { ManagerClient } from './manager-client.ts';

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

/**
 * Adds a finalizer, so that `object` is not removed before {@link removeFinalizer}. Sends no request when it has the
 * finalizer, or is being deleted: then it is too late.
 *
 * Guarded by the resourceVersion, as finalizers are one list: rejects with a conflict when the object was written since.
 *
 * @returns the object as stored, or `object` itself when nothing had to be written.
 */
export async function addFinalizer<T extends KubeObject>(
  { client }: ManagerClient,
  ref: Ref<T>,
  object: Stored<NoInfer<T>>,
  finalizer: string,
  options: WriteOptions = {},
): Promise<Stored<T>> {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (hasFinalizer(object, finalizer) || deletionTimestamp !== undefined) return object;
  return client.patch(ref, keyOf(object), finalizersPatch(object, [...finalizers, finalizer]), options);
}

/**
 * Removes a finalizer. Guarded as {@link addFinalizer}: never removes the finalizer of an object that was recreated under
 * the name.
 *
 * @returns the object as stored, which still has the finalizer if a webhook restored it (then nothing was stored, and no
 * event follows), `object` itself when nothing had to be written, or `undefined` when it is gone.
 */
export async function removeFinalizer<T extends KubeObject>(
  { client }: ManagerClient,
  ref: Ref<T>,
  object: Stored<NoInfer<T>>,
  finalizer: string,
  options: WriteOptions = {},
): Promise<Stored<T> | undefined> {
  if (!hasFinalizer(object, finalizer)) return object;
  const left = (object.metadata.finalizers ?? []).filter((other) => other !== finalizer);
  return ignoreNotFound(client.patch(ref, keyOf(object), finalizersPatch(object, left), options));
}

function finalizersPatch({ metadata }: Stored, finalizers: readonly string[]) {
  const { resourceVersion } = metadata;
  return { type: 'merge', body: { metadata: { resourceVersion, finalizers } } } as const;
}
