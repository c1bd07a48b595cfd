import { type Client, ignoreNotFound, isConflict, isNotFound } from '@kubewright/client';
import { controllerOf, isConditionTrue } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { MANIFEST_CHECKPOINTS, type ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';
import { ownedBy } from '../requests/keeper-state.ts';
import { NAMES } from '../requests/names.ts';
import { createTtlKeeper, ttlIn } from './create-ttl-keeper.ts';

/** `kubewright capture keep CHECKPOINT`: a keeper with a TTL adopts the checkpoint, which then outlives its request. */
export async function keepCheckpoint(
  { args: [name = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const ttl = ttlIn(options);
  const { client, out } = await connect();
  const checkpoint = await adoptable(client, name);
  const keeper = await createTtlKeeper(client, 'keep-', ttl);
  await adopt(client, checkpoint, keeper);
  out(`ObjectKeeper ${keeper.metadata.name} keeps ManifestCheckpoint ${name} for ${ttl}\n`);
}

/** A complete checkpoint that only the keeper of its request owns. */
async function adoptable(client: Client, name: string): Promise<ManifestCheckpoint> {
  const checkpoint = await client.get(MANIFEST_CHECKPOINTS, { name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const message = `ManifestCheckpoint "${name}" does not exist; "kubectl get mcp" lists them`;
    throw new OperatorError('NotFound', message, { cause: error });
  });
  if (!isConditionTrue(checkpoint.status?.conditions, 'Ready'))
    throw new OperatorError('Failed', `ManifestCheckpoint ${name} is not Ready: it is incomplete`);
  const { kind, name: owner } = controllerOf(checkpoint) ?? { kind: 'nothing', name: '' };
  const { uid = '' } = checkpoint.spec?.manifestCaptureRequestRef ?? {};
  if (kind === OBJECT_KEEPERS.kind && owner === NAMES.manifestKeeper(uid)) return checkpoint;
  throw new OperatorError(
    'Failed',
    printable(`ManifestCheckpoint ${name} already belongs to ${kind} ${owner}`),
  );
}

/**
 * Replaces the controller among the owner references. The resourceVersion is the lock: of two concurrent adoptions one
 * is rejected, and its keeper is deleted.
 */
async function adopt(client: Client, { metadata }: ManifestCheckpoint, keeper: ObjectKeeper): Promise<void> {
  const { name, resourceVersion, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter(({ controller }) => controller !== true);
  const body = { metadata: { resourceVersion, ownerReferences: [...others, ...ownedBy(keeper)] } };
  try {
    await client.patch(MANIFEST_CHECKPOINTS, { name }, { type: 'merge', body });
  } catch (error) {
    await ignoreNotFound(client.delete(OBJECT_KEEPERS, { name: keeper.metadata.name }));
    if (!isConflict(error)) throw error;
    const message = `ManifestCheckpoint ${name} was changed concurrently; check it, and try again`;
    throw new OperatorError('Failed', message, { cause: error });
  }
}
