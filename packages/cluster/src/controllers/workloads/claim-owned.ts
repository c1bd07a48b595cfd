import { type Client, ignoreNotFound, isInvalid, keyOf, type Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import { type ClaimAction, decideClaims } from './decide-claims.ts';
import { controllerReference } from './pod-from-template.ts';

/** Who claims: an object, and the kind that it can be read as. */
export type Claimant = {
  readonly ref: Ref;
  readonly object: Stored;
  /** Put on what is adopted, taken off what is released. */
  readonly finalizer?: string;
};

/** What may be owned, and what should be. */
type Candidates<T extends KubeObject> = {
  readonly objects: readonly Stored<T>[];
  readonly matches: (candidate: Stored<T>) => boolean;
};

/**
 * What the claimant owns among `candidates`, once it has adopted and released what it should. What it adopted counts, whatever
 * a webhook made of the adoption: no event may follow. Undefined if the claimant is not what the cache says it is;
 * then a change is on its way to the cache.
 */
export async function claimOwned<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  candidates: Candidates<T>,
  claimant: Claimant,
): Promise<readonly Stored<T>[] | undefined> {
  const { owned, actions } = decideClaims(claimant.object, candidates.objects, candidates.matches);
  const adopted = await claimAll(client, ref, actions, claimant);
  return adopted === undefined ? undefined : [...owned, ...adopted];
}

/** Carries out claims in order: what was adopted; undefined, and no adoptions, if the claimant is not what the cache says it is. */
export async function claimAll<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  actions: readonly ClaimAction<T>[],
  claimant: Claimant,
): Promise<readonly Stored<T>[] | undefined> {
  const adopts = actions.some(({ type }) => type === 'adopt');
  const mayAdopt = !adopts || (await stillClaims(client, claimant));
  const adopted: Stored<T>[] = [];
  for (const action of actions) {
    if (action.type === 'adopt' && !mayAdopt) continue;
    const claimed = await claimObject(client, ref, action, claimant);
    if (action.type === 'adopt' && claimed !== undefined) adopted.push(claimed);
  }
  return mayAdopt ? adopted : undefined;
}

/**
 * Adopts or releases one object. The patch names the uid, so that another of the same name is never touched; a
 * rejection that means "gone, or no longer ours" is no failure of a release.
 */
async function claimObject<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  { type, object }: ClaimAction<T>,
  claimant: Claimant,
): Promise<Stored<T> | undefined> {
  const { uid } = object.metadata;
  const reference =
    type === 'adopt'
      ? controllerReference(claimant.object)
      : { $patch: 'delete', uid: claimant.object.metadata.uid };
  const { finalizer } = claimant;
  const held =
    finalizer === undefined
      ? {}
      : { [type === 'adopt' ? 'finalizers' : '$deleteFromPrimitiveList/finalizers']: [finalizer] };
  const body = { metadata: { uid, ownerReferences: [reference], ...held } };
  const patched = client.patch(ref, keyOf(object), { type: 'strategic', body });
  try {
    return await ignoreNotFound(patched);
  } catch (error) {
    if (type === 'adopt' || !isInvalid(error)) throw error;
    return undefined;
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
