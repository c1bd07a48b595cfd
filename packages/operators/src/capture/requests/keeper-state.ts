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

/** The keeper that stands between a request in a namespace and its artifacts, which have none. */
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

/** What there is under the name of a request's keeper. */
export type KeeperState =
  | { readonly type: 'ours'; readonly keeper: ObjectKeeper }
  /** Its uid is not known yet: nothing may name it as its owner. */
  | { readonly type: 'unnamed' }
  | { readonly type: 'absent' }
  | { readonly type: 'forbidden'; readonly message: string }
  | { readonly type: 'foreign'; readonly message: string };

/** Judges what was read under the name: only a keeper that follows this very request, and in no other way, is ours. */
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

/** What is decided while a keeper is without the uid that the server gives it: nothing may name it as its owner. */
export const WAIT_FOR_KEEPER_UID = { reason: 'WaitForKeeperUID', requeueAfter: 1000 } as const;

/** How artifacts name their keeper: as the one controller. */
export function ownedBy(owner: Stored): readonly OwnerReference[] {
  return [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })];
}
