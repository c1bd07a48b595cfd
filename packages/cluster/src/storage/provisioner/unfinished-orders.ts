import { type Client, isAlreadyExists } from '@kubewright/client';
import { corev1, errorText } from '@kubewright/kube';
import { type EventNote, type Request, requestFor } from '@kubewright/runtime';
import { SELECTED_NODE } from '../../controllers/volumes/annotations.ts';
import { CsiError, isFinal } from '../backend/csi-error.ts';
import type { StorageBackend } from '../backend/storage-backend.ts';
import type { Claim, ProvisionStep, Volume } from './provision-step.ts';

export type Tools = {
  readonly client: Client;
  readonly backend: StorageBackend;
  readonly emit: (about: Claim | Volume, note: EventNote) => void;
};

/** A claim, and what the provisioner does about it. */
type Order = { readonly claim: Claim; readonly step: ProvisionStep };

/**
 * Makes volumes for claims. Where the storage system has not said whether it makes one, it is asked until it does, although the claim
 * is deleted meanwhile: the PersistentVolume is then released at once, and deleted with the volume.
 */
export class UnfinishedOrders {
  /** By namespace and name of the claim: one is finished before a claim of the same name gets a volume. */
  readonly #orders = new Map<string, Order>();

  /** Asks once more for the volume of a claim that is gone, or that needs none any more. */
  async finish(tools: Tools, request: Request, live: Order | undefined): Promise<void> {
    const open = this.#orders.get(keyOf(request));
    if (open === undefined) return;
    const isAskedFor = live?.step.type === 'create' && live.claim.metadata.uid === open.claim.metadata.uid;
    if (!isAskedFor) await this.provision(tools, open);
  }

  async provision({ client, backend, emit }: Tools, order: Order): Promise<void> {
    const { claim, step } = order;
    if (step.type === 'none') return;
    const { namespace, name } = claim.metadata;
    const message = `External provisioner is provisioning volume for claim "${namespace}/${name}"`;
    emit(claim, { type: 'Normal', reason: 'Provisioning', message });
    try {
      if (step.type === 'fail') throw new CsiError('FailedPrecondition', step.message);
      this.#orders.set(keyOf(requestFor(claim)), order);
      const { handle } = await backend.createVolume(step.order);
      await create(client, step.volume(handle));
    } catch (error) {
      if (isFinal(error)) this.#orders.delete(keyOf(requestFor(claim)));
      const said = step.type === 'fail' ? step.message : errorText(error);
      const why = `failed to provision volume with StorageClass "${claim.spec.storageClassName ?? ''}": ${said}`;
      emit(claim, { type: 'Warning', reason: 'ProvisioningFailed', message: why });
      if (isOutOfSpace(error)) await askForOtherNode(client, claim);
      throw error;
    }
    this.#orders.delete(keyOf(requestFor(claim)));
    const done = `Successfully provisioned volume ${step.order.name}`;
    emit(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message: done });
  }
}

const keyOf = ({ namespace = '', name }: Request): string => `${namespace}/${name}`;

const isOutOfSpace = (error: unknown): boolean =>
  error instanceof CsiError && error.code === 'ResourceExhausted';

/** The volume's name is the claim's: whoever made it, it is that one. */
async function create(client: Client, volume: corev1.PersistentVolume): Promise<void> {
  try {
    await client.create(corev1.persistentvolumes, volume);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** The scheduler chooses again once the note of its choice is gone. */
async function askForOtherNode(client: Client, claim: Claim): Promise<void> {
  const { [SELECTED_NODE]: node, ...annotations } = claim.metadata.annotations ?? {};
  if (node === undefined) return;
  await client.update(corev1.persistentvolumeclaims, {
    ...claim,
    metadata: { ...claim.metadata, annotations },
  });
}
