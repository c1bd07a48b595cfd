import { type Client, ignoreNotFound, isInvalid, keyOf, type Ref } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import type { ClaimAction } from './claim.ts';
import { controllerReference } from './pod-template.ts';

/** Who claims: an object, and the kind that it can be read as. */
export type Claimant = {
  readonly ref: Ref;
  readonly object: KubeObject;
  /** Put on what is adopted, taken off what is released. */
  readonly finalizer?: string;
};

/** Carries out claims in order; without the adoptions if the claimant is not what the cache says it is. */
export async function claimAll<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  actions: readonly ClaimAction<T>[],
  claimant: Claimant,
): Promise<void> {
  const adopts = actions.some(({ type }) => type === 'adopt');
  const mayAdopt = adopts && (await stillClaims(client, claimant));
  for (const action of actions) {
    if (action.type === 'release' || mayAdopt) await claimObject(client, ref, action, claimant);
  }
}

/**
 * Adopts or releases one object. The patch names the uid, so that another of the same name is never touched; a
 * refusal that means "gone, or no longer ours" is no failure of a release.
 */
async function claimObject<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  { type, object }: ClaimAction<T>,
  claimant: Claimant,
): Promise<void> {
  const { uid = '' } = object.metadata;
  const reference =
    type === 'adopt'
      ? controllerReference(claimant.object)
      : { $patch: 'delete', uid: claimant.object.metadata.uid ?? '' };
  const { finalizer } = claimant;
  const held =
    finalizer === undefined
      ? {}
      : { [type === 'adopt' ? 'finalizers' : '$deleteFromPrimitiveList/finalizers']: [finalizer] };
  const body = { metadata: { uid, ownerReferences: [reference], ...held } };
  const patched = client.patch(ref, keyOf(object), { type: 'strategic', body });
  try {
    await ignoreNotFound(patched);
  } catch (error) {
    if (type === 'adopt' || !isInvalid(error)) throw error;
  }
}

/**
 * Whether the claimant as the server has it now is the one that was observed, and stays: asked before the first
 * adoption, so that a stale cache gives nothing to the dead. If not, a change is on its way to the cache.
 */
async function stillClaims(client: Client, { ref, object }: Claimant): Promise<boolean> {
  const live = await ignoreNotFound(client.get(ref, keyOf(object)));
  return live?.metadata.uid === object.metadata.uid && live?.metadata.deletionTimestamp === undefined;
}
