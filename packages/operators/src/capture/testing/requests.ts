import { formatTime, type KubeObject } from '@kubewright/kube';
import type { FollowObjectRef, KeeperStatus, ObjectKeeper } from '../api/object-keeper.ts';
import { newKeeper } from '../requests/keeper-state.ts';

const START = Date.UTC(2026, 0, 1);

/** The moment `seconds` after a test's beginning. */
export function at(seconds: number): Date {
  return new Date(START + seconds * 1000);
}

export function timeAt(seconds: number): string {
  return formatTime(at(seconds));
}

/** `metadata` of a request that was made at the beginning. */
export function requestMeta(name: string) {
  const uid = `uid-${name}`;
  return { namespace: 'shop', name, uid, resourceVersion: '1', creationTimestamp: timeAt(0) };
}

/** Whoever made a request of a test, and was allowed to. */
export const AUTHOR = { type: 'checked', name: 'alice' } as const;

type Followed = Parameters<typeof newKeeper>[0];

/** A request's keeper as the server has it. */
export function storedKeeper(request: Followed, name: string, uid = 'uid-keeper'): ObjectKeeper {
  const keeper = newKeeper(request, name);
  return { ...keeper, metadata: { name, uid, resourceVersion: '1' } };
}

/** An object as the server has it, with a uid made of its name. */
export function stored<T extends KubeObject>(object: T, more: Partial<T['metadata']> = {}) {
  const { name = '' } = object.metadata;
  return {
    ...object,
    metadata: { ...object.metadata, uid: `uid-${name}`, resourceVersion: '1', ...more, name },
  };
}

/** A keeper of one ConfigMap, made at the beginning. */
export function keeperOf(spec: Partial<ObjectKeeper['spec']> = {}, status?: KeeperStatus): ObjectKeeper {
  const followObjectRef: FollowObjectRef = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'shop',
    name: 'one',
    uid: 'uid-one',
  };
  return {
    apiVersion: 'deckhouse.io/v1alpha1',
    kind: 'ObjectKeeper',
    metadata: { name: 'keeper', uid: 'uid-keeper', resourceVersion: '1', creationTimestamp: timeAt(0) },
    spec: { mode: 'FollowObject', followObjectRef, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}
