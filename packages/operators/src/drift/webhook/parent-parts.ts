import type { KindRef } from '@kubewright/client';
import { type KubeObject, type OwnerReference, parseApiVersion } from '@kubewright/kube';
import { type Cache, type CacheEvent, partOf } from '@kubewright/runtime';
import type { KnownProfiles } from '../controller-profile/known-profiles.ts';
import { project } from './project.ts';

type OfKind = Pick<OwnerReference, 'apiVersion' | 'kind'>;

/** Which parts of kinds are cached as parents: of an object, what decisions use by the profile of its kind. */
export type ParentParts = {
  /** Undefined: none is cached by the profile that is used now. */
  of(kind: OfKind): KindRef | undefined;
  /** Caches the kind from now on. */
  begin(kind: OfKind): void;
};

type Cached = { readonly part: KindRef; readonly revision: string; readonly times: number };

/** After so many profiles of one kind, its objects are read from the server: what is cached stays until the process ends. */
const MOST_PROFILES = 10;
/** Of each little is kept: larger pages leave several times their size to the process, and hold up decisions meanwhile. */
const PAGE = 100;

export function createParentParts(
  cache: Cache,
  profiles: KnownProfiles,
  onEvent: (event: CacheEvent) => void,
): ParentParts {
  const kinds = new Map<string, Cached>();
  const transform = <T extends KubeObject>(object: T): T => profiles.noted(project(profiles.noted(object)));
  return {
    of(kind) {
      const known = kinds.get(keyOf(kind));
      return known?.revision === profiles.revisionOf(kind) ? known.part : undefined;
    },
    begin(kind) {
      const { times = 0, revision: known } = kinds.get(keyOf(kind)) ?? {};
      const revision = profiles.revisionOf(kind);
      if (known === revision || times > MOST_PROFILES) return;
      const name = times === 0 ? 'parents' : `parents-${times}`;
      const part = partOf(kindRefOf(kind), name, { transform, isOnDemand: true, pageSize: PAGE });
      kinds.set(keyOf(kind), { part, revision, times: times + 1 });
      cache.informer(part).addHandler(onEvent);
    },
  };
}

export function kindRefOf({ apiVersion, kind }: OfKind): KindRef {
  return { ...parseApiVersion(apiVersion), kind };
}

function keyOf({ apiVersion, kind }: OfKind): string {
  return `${apiVersion} ${kind}`;
}
