import { type Client, isNotFound } from '@kubewright/client';
import { controllerOf, isConditionTrue } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { MANIFEST_CHECKPOINTS, type ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from '../api/object-keeper.ts';
import { NAMES } from '../requests/names.ts';
import { adoptArtifact } from './adopt-artifact.ts';
import { durationText, ttlIn } from './create-ttl-keeper.ts';

/** `kubewright capture keep CHECKPOINT`: a keeper with a TTL adopts the checkpoint, which then outlives its request. */
export async function keepCheckpoint(
  { args: [name = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const ttl = ttlIn(options);
  const { client, out } = await connect();
  out(await keepFor(client, name, ttl));
}

/** Resolves with what to print. */
export async function keepFor(client: Client, name: string, ttl: string): Promise<string> {
  const checkpoint = await adoptable(client, name);
  const { metadata } = await adoptArtifact(client, MANIFEST_CHECKPOINTS, checkpoint, ttl);
  return `ObjectKeeper ${metadata.name} keeps ManifestCheckpoint ${name} ${durationText(ttl)}\n`;
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
