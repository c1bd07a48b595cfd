import { type Client, ignoreNotFound } from '@kubewright/client';
import { corev1, type Stored } from '@kubewright/kube';
import type { LivePod } from './decide/observed-migration.ts';
import { claimsOf } from './strategy.ts';

/** The volumes of a pod's claims, as far as they are bound. */
export async function observeVolumes(
  pod: LivePod,
  client: Client,
): Promise<readonly Stored<corev1.PersistentVolume>[]> {
  const { namespace } = pod.metadata;
  const found = await Promise.all(claimsOf(pod).map((claim) => volumeOf({ namespace, name: claim }, client)));
  return found.filter((volume) => volume !== undefined);
}

async function volumeOf(
  claim: { readonly namespace: string; readonly name: string },
  client: Client,
): Promise<Stored<corev1.PersistentVolume> | undefined> {
  const { spec } = (await ignoreNotFound(client.get(corev1.persistentvolumeclaims, claim))) ?? {};
  const name = spec?.volumeName ?? '';
  return name === '' ? undefined : ignoreNotFound(client.get(corev1.persistentvolumes, { name }));
}
