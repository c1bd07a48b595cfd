import {
  ApiError,
  type Client,
  ignoreNotFound,
  isConflict,
  type ObjectKey,
  type ResourceRef,
} from '@kubewright/client';
import { controllerOf, parseApiVersion, type OwnerReference, type Stored } from '@kubewright/kube';
import type { CapturedOwner } from './owners-of.ts';

/** A restored object that had owners. */
export type Owned = {
  readonly ref: ResourceRef;
  readonly key: ObjectKey;
  readonly owners: readonly CapturedOwner[];
};

/** The field manager of what a restore writes. */
export const RESTORE_FIELD_MANAGER = 'kubewright-restore';

/** A controller that adopts its object at the same moment wins; it writes once. */
const ATTEMPTS = 5;

/**
 * Gives an object its owners again, by their uids of now, so that it is deleted with them, and controllers know it for
 * theirs. Only what a restore created is changed, and only while no other controller has it. Resolves with whether it
 * was changed.
 */
export async function linkOwners(client: Client, owned: Owned): Promise<boolean> {
  const { ref, key, owners } = owned;
  const references = (
    await Promise.all(owners.map((owner) => referenceTo(client, owner, key.namespace)))
  ).flat();
  for (let attempt = 1; ; attempt++) {
    const live = await ignoreNotFound(client.get(ref, key));
    const missing = live === undefined || !isRestored(live) ? [] : missingIn(live, references);
    if (live === undefined || missing.length === 0) return false;
    const { resourceVersion, ownerReferences = [] } = live.metadata;
    const body = { metadata: { resourceVersion, ownerReferences: [...ownerReferences, ...missing] } };
    try {
      await client.patch(ref, key, { type: 'merge', body }, { fieldManager: RESTORE_FIELD_MANAGER });
      return true;
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function referenceTo(
  client: Client,
  owner: CapturedOwner,
  namespace: string | undefined,
): Promise<readonly OwnerReference[]> {
  try {
    const ref = await client.mapper.resolve({ ...parseApiVersion(owner.apiVersion), kind: owner.kind });
    const { name } = owner;
    const live = await ignoreNotFound(client.get(ref, ref.namespaced ? { namespace, name } : { name }));
    return live === undefined ? [] : [{ ...owner, uid: live.metadata.uid }];
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NoMatch') return [];
    throw error;
  }
}

function isRestored({ metadata: { managedFields = [] } }: Stored): boolean {
  return managedFields.some(({ manager }) => manager === RESTORE_FIELD_MANAGER);
}

/** An object has one controller. */
function missingIn(live: Stored, references: readonly OwnerReference[]): readonly OwnerReference[] {
  const { ownerReferences = [] } = live.metadata;
  const isControlled = controllerOf(live) !== undefined;
  return references.filter(
    ({ uid, controller }) =>
      !(controller === true && isControlled) && ownerReferences.every((owner) => owner.uid !== uid),
  );
}
