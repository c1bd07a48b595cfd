import { ignoreNotFound, keyOf, type Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { ManagerClient } from './manager-client.ts';

/**
 * Reads `object` from the server: for actions outside the cluster, which no resourceVersion guards. A cached read may be
 * stale, most of all after a start.
 *
 * @returns the object as it is now; `undefined` if it is gone, being deleted, or recreated under its name.
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
