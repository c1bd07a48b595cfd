import { ignoreNotFound, keyOf, type Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { ManagerClient } from './manager-client.ts';

/**
 * Asks the server whether `object` still is: for what is done outside, where no resourceVersion guards. A cache may show
 * the past, most of all after a start.
 *
 * @returns the object as it is now; `undefined` if it is gone, being deleted, or another one of the same name.
 */
export async function confirmLive<T extends KubeObject>(
  { client }: ManagerClient,
  ref: Ref<T>,
  object: Stored<NoInfer<T>>,
): Promise<Stored<T> | undefined> {
  const live = await ignoreNotFound(client.get(ref, keyOf(object)));
  const isSame = live?.metadata.uid === object.metadata.uid;
  return isSame && live?.metadata.deletionTimestamp === undefined ? live : undefined;
}
