import { ApiError, ignoreNotFound, type KindRef } from '@kubewright/client';
import type { KubeObject, OwnerReference, Stored } from '@kubewright/kube';
import type { CacheEvent, Manager } from '@kubewright/runtime';
import { viewOf } from '../annotations/recorded-view.ts';
import { type KnownProfiles, noneKnown } from '../controller-profile/known-profiles.ts';
import { createParentParts, kindRefOf } from './parent-parts.ts';
import { createRecentParents, type RecentParents } from './recent-parents.ts';

/** The location of a parent: owner references have no namespace. */
export type ParentRef = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'> & {
  /** The child's namespace; undefined for cluster-scoped parents. */
  readonly namespace: string;
};

/** Reads controller owners; `undefined` if there is none with that uid. */
export type Parents = Pick<RecentParents, 'changing' | 'isRecent'> & {
  /** From the cache, if its kind is cached; else from the server, and the kind is cached from then on. */
  get(ref: ParentRef): Promise<KubeObject | undefined>;
  /** From the server. */
  live(ref: ParentRef): Promise<Stored | undefined>;
  /** A stored object with what this process is about to record. */
  noted(object: KubeObject): KubeObject;
  /** From the cache alone. */
  cached(ref: ParentRef): KubeObject | undefined;
};

/** Calls `onParent` for each cached parent, when it is first seen and when it changes. */
export function createParents(
  { cache, client, clock }: Pick<Manager, 'cache' | 'client' | 'clock'>,
  onParent: (parent: KubeObject) => void,
  profiles: KnownProfiles = noneKnown,
): Parents {
  const recent = createRecentParents(() => clock.monotonic());
  const onEvent = (event: CacheEvent): void => {
    if (event.type === 'Delete') return;
    onParent(event.object);
    // The first list may come from an API server that is behind.
    if (event.type === 'Update' || !event.initial) recent.reported(event.object);
  };
  const parts = createParentParts(cache, profiles, onEvent);
  const cached = (ref: ParentRef): KubeObject | undefined => {
    const part = parts.of(ref);
    if (part === undefined || !cache.informer(part).synced) return undefined;
    return hasUid(cache.get(part, keyOf(ref)) ?? cache.get(part, { name: ref.name }), ref);
  };
  const read = (kind: KindRef, ref: ParentRef): Promise<Stored | 'unserved' | undefined> =>
    ignoreNotFound(client.get<KubeObject>(kind, keyOf(ref)).catch(ignoreUnserved));
  const live = async (ref: ParentRef): Promise<Stored | undefined> => {
    const { version: _version, ...anyVersion } = kindRefOf(ref);
    const known = await read(kindRefOf(ref), ref);
    // A reference may name a version that is served no more, or never was: the owner is there all the same.
    const found = known === 'unserved' ? await read(anyVersion, ref) : known;
    if (found === undefined || found === 'unserved') return undefined;
    recent.reported(found);
    // Whoever may get one may watch all: the roles grant these verbs together. What is not served cannot be watched.
    if (known !== 'unserved') parts.begin(ref);
    return hasUid(profiles.noted(viewOf<Stored>(found)), ref);
  };
  return { ...recent, cached, live, noted: (object) => object, get: async (ref) => cached(ref) ?? live(ref) };
}

/** Of a kind that the server does not serve any more, there are no objects. */
function ignoreUnserved(error: unknown): 'unserved' {
  if (error instanceof ApiError && error.reason === 'NoMatch') return 'unserved';
  throw error;
}

function keyOf({ namespace, name }: ParentRef): { readonly namespace?: string; readonly name: string } {
  return namespace === '' ? { name } : { namespace, name };
}

/** Names are reused: the uid identifies an owner. */
function hasUid<T extends KubeObject>(object: T | undefined, { uid }: ParentRef): T | undefined {
  return object?.metadata.uid === uid ? object : undefined;
}
