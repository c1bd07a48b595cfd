import {
  type CustomObject,
  jsonEqual,
  type OwnerReference,
  ownerReferenceTo,
  type Stored,
} from '@kubewright/kube';
import { OBJECT_KEEPERS, type FollowObjectRef, type ObjectKeeper } from '../api/object-keeper.ts';
import { KEEPER_GROUP, VERSION } from '../api/annotations.ts';
import type { LiveRead } from './read-live.ts';

/** A request that a keeper follows. */
type Followed = Stored & { readonly metadata: { readonly namespace: string } };
export type NewKeeper = CustomObject<Pick<ObjectKeeper, 'spec'>, 'Cluster'>;

/** The cluster-scoped keeper that follows a namespaced request and owns its cluster-scoped artifacts. */
export function newKeeper(request: Followed, name: string): NewKeeper {
  return {
    apiVersion: `${KEEPER_GROUP}/${VERSION}`,
    kind: OBJECT_KEEPERS.kind,
    metadata: { name },
    spec: { mode: 'FollowObject', followObjectRef: refTo(request) },
  };
}

function refTo({ apiVersion, kind, metadata: { namespace, name, uid } }: Followed): FollowObjectRef {
  return { apiVersion, kind, namespace, name, uid };
}

/** The object under the name of a request's keeper. */
export type KeeperState =
  | { readonly type: 'ours'; readonly keeper: ObjectKeeper }
  /** It has no uid yet: no owner reference can name it. */
  | { readonly type: 'unnamed' }
  | { readonly type: 'absent' }
  | { readonly type: 'forbidden'; readonly message: string }
  | { readonly type: 'foreign'; readonly message: string };

/** Only a keeper that follows exactly this request, in the expected mode, is ours. */
export function keeperState(request: Followed, read: LiveRead<ObjectKeeper>): KeeperState {
  if (read.type === 'absent') return { type: 'absent' };
  if (read.type === 'forbidden') return read;
  const { spec, metadata } = read.object;
  const isOurs = jsonEqual(spec, newKeeper(request, metadata.name).spec);
  if (!isOurs) {
    const message = `ObjectKeeper ${metadata.name} exists and does not follow this request`;
    return { type: 'foreign', message };
  }
  return metadata.uid === '' ? { type: 'unnamed' } : { type: 'ours', keeper: read.object };
}

/** Waits for the server to assign the keeper's uid: owner references need it. */
export const WAIT_FOR_KEEPER_UID = { reason: 'WaitForKeeperUID', requeueAfter: 1000 } as const;

/** The owner references of an artifact: its keeper, as the controller. */
export function ownedBy(owner: Stored): readonly OwnerReference[] {
  return [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })];
}
