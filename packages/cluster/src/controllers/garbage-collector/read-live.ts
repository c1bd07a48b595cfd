import { ApiError, type Client, isNotFound, type ResourceRef } from '@kubewright/client';
import { parseApiVersion, type Stored } from '@kubewright/kube';
import type { AbsentOwners } from './absent-owners.ts';
import type { ObjectReference } from './object-reference.ts';

export type Observer = {
  /** Reads metadata only. */
  readonly client: Client;
  readonly absent: AbsentOwners;
  /** What is watched, and so may hold dependents. */
  readonly resources: () => readonly ResourceRef[];
};

/** The live object of this very uid. */
export async function readLive(
  identity: ObjectReference,
  { client, absent }: Pick<Observer, 'client' | 'absent'>,
): Promise<Stored | 'absent' | 'unplaceable'> {
  const ref = await client.mapper.resolve({ ...parseApiVersion(identity.apiVersion), kind: identity.kind });
  if (ref.namespaced && identity.namespace === '') return 'unplaceable';
  const place = ref.namespaced ? identity : { ...identity, namespace: '' };
  if (absent.has(place)) return 'absent';
  const object = await getOrAbsent(client, ref, place);
  if (object?.metadata.uid === identity.uid) return object;
  absent.add(place);
  return 'absent';
}

async function getOrAbsent(
  client: Client,
  ref: ResourceRef,
  { namespace, name }: ObjectReference,
): Promise<Stored | undefined> {
  try {
    return await client.get(ref, { ...(namespace === '' ? {} : { namespace }), name });
  } catch (error) {
    if (saysAbsent(error, name)) return undefined;
    // Or the kind is no longer served as it was: to take that for an absent owner would delete what it owns.
    if (isNotFound(error)) client.mapper.reset();
    throw error;
  }
}

/** Does the server say that the object is not there, and not that the path leads nowhere? */
export function saysAbsent(error: unknown, name: string): boolean {
  return isNotFound(error) && error instanceof ApiError && error.status.details?.name === name;
}
