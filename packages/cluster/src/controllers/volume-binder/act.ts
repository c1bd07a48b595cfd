import { type Client, ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, defined, type Stored } from '@kubewright/kube';
import { BETA_STORAGE_PROVISIONER, MIGRATED_TO, STORAGE_PROVISIONER } from '../volumes/annotations.ts';
import { claimInPhase, claimOn, unboundVolume, volumeFor, volumeInPhase } from './binding.ts';
import type { BinderAction } from './decision.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Volume = Stored<corev1.PersistentVolume>;

/** Carries out the actions in order. Rejects with the first failure; the next reconciliation goes on from there. */
export async function act(client: Client, actions: readonly BinderAction[]): Promise<void> {
  for (const action of actions) await actOnce(client, action);
}

async function actOnce(client: Client, action: BinderAction): Promise<void> {
  switch (action.type) {
    case 'bind':
      return bind(client, action);
    case 'unbind':
      return unbind(client, action.volume);
    case 'claimPhase':
      await write(client, claimInPhase(action.claim, action.phase), action.claim, 'status');
      return;
    case 'volumePhase': {
      const { volume, phase, message } = action;
      await writeVolume(client, volumeInPhase(volume, phase, message), volume, 'status');
      return;
    }
    case 'assignClass': {
      const { claim, storageClass } = action;
      const storageClassName = storageClass.metadata.name;
      await client.update(corev1.persistentvolumeclaims, {
        ...claim,
        spec: { ...claim.spec, storageClassName },
      });
      return;
    }
    case 'askProvisioner':
      return askProvisioner(client, action.claim, action.provisioner);
    case 'delete': {
      const { uid } = action.volume.metadata;
      const options = { preconditions: { uid } };
      await ignoreNotFound(client.delete(corev1.persistentvolumes, keyOf(action.volume), options));
    }
  }
}

async function bind(client: Client, { volume, claim }: { volume: Volume; claim: Claim }): Promise<void> {
  const bound = await writeVolume(client, volumeFor(volume, claim), volume);
  const inPhase = await writeVolume(client, volumeInPhase(bound, 'Bound'), bound, 'status');
  const joined = await write(client, claimOn(claim, inPhase), claim);
  await write(client, claimInPhase(joined, 'Bound', inPhase), joined, 'status');
}

async function unbind(client: Client, volume: Volume): Promise<void> {
  const free = await client.update(corev1.persistentvolumes, unboundVolume(volume));
  await writeVolume(client, volumeInPhase(free, 'Available'), free, 'status');
}

async function askProvisioner(client: Client, claim: Claim, provisioner: string): Promise<void> {
  const { metadata } = claim;
  if (metadata.annotations?.[STORAGE_PROVISIONER] === provisioner) return;
  const { [MIGRATED_TO]: _, ...annotations } = metadata.annotations ?? {};
  const asked = {
    ...annotations,
    [BETA_STORAGE_PROVISIONER]: provisioner,
    [STORAGE_PROVISIONER]: provisioner,
  };
  const next = { ...claim, metadata: { ...metadata, annotations: asked } };
  await client.update(corev1.persistentvolumeclaims, next);
}

/** Writes `next` if there is one; resolves to the object as stored. */
async function writeVolume(
  client: Client,
  next: Volume | undefined,
  current: Volume,
  subresource?: 'status',
): Promise<Volume> {
  if (next === undefined) return current;
  return client.update(corev1.persistentvolumes, next, defined({ subresource }));
}

async function write(
  client: Client,
  next: Claim | undefined,
  current: Claim,
  subresource?: 'status',
): Promise<Claim> {
  if (next === undefined) return current;
  return client.update(corev1.persistentvolumeclaims, next, defined({ subresource }));
}
