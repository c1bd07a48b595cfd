import type { Client } from '@kubewright/client';
import { corev1, type Stored } from '@kubewright/kube';
import { volumeFor } from '../controllers/volume-binder/binding.ts';
import { SELECTED_NODE } from '../controllers/volumes/annotations.ts';
import { selectedNode, volumeOn, type WaitingClaim } from './filters/volume-binding.ts';

/**
 * Gives claims that waited for a node the volumes that are there, and notes for the others for which node theirs are to be
 * made. True if something was written: the pod comes back when they are bound.
 */
export async function bindVolumes(
  client: Client,
  waiting: readonly WaitingClaim[],
  node: Stored<corev1.Node>,
): Promise<boolean> {
  const taken = new Set<string>();
  let written = false;
  for (const one of waiting) {
    if (selectedNode(one.claim) !== undefined) continue;
    const candidates = one.candidates.filter(({ metadata }) => !taken.has(metadata.name));
    written = (await bindVolume(client, { ...one, candidates }, node, taken)) || written;
  }
  return written;
}

async function bindVolume(
  client: Client,
  waiting: WaitingClaim,
  node: Stored<corev1.Node>,
  taken: Set<string>,
): Promise<boolean> {
  const { claim } = waiting;
  const volume = volumeOn(waiting, node);
  if (volume === undefined) {
    const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: node.metadata.name };
    await client.update(corev1.persistentvolumeclaims, {
      ...claim,
      metadata: { ...claim.metadata, annotations },
    });
    return true;
  }
  taken.add(volume.metadata.name);
  const next = volumeFor(volume, claim);
  if (next === undefined) return false;
  await client.update(corev1.persistentvolumes, next);
  return true;
}
