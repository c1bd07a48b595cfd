import { type Client, ignoreNotFound, isConflict, type Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';
import { ownedBy } from '../requests/keeper-state.ts';
import { createTtlKeeper } from './create-ttl-keeper.ts';

/**
 * A new keeper with a TTL becomes the controller of an artifact of the cluster, which then outlives its request. The
 * resourceVersion is the lock: of two concurrent adoptions one is rejected, and its keeper is deleted.
 */
export async function adoptArtifact<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  { kind, metadata }: Stored<NoInfer<T>>,
  ttl: string,
): Promise<ObjectKeeper> {
  const keeper = await createTtlKeeper(client, 'keep-', ttl);
  const { name, resourceVersion, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter(({ controller }) => controller !== true);
  const body = { metadata: { resourceVersion, ownerReferences: [...others, ...ownedBy(keeper)] } };
  try {
    await client.patch(ref, { name }, { type: 'merge', body });
    return keeper;
  } catch (error) {
    await ignoreNotFound(client.delete(OBJECT_KEEPERS, { name: keeper.metadata.name }));
    if (!isConflict(error)) throw error;
    const message = printable(`${kind} ${name} was changed concurrently; check it, and try again`);
    throw new OperatorError('Failed', message, { cause: error });
  }
}
