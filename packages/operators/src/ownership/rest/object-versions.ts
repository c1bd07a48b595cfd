import type { KindRef } from '@kubewright/client';
import { type KubeObject, type Named, parseApiVersion } from '@kubewright/kube';
import { type CacheEvent, type Informer, type Manager, type PartRef, partOf } from '@kubewright/runtime';
import { objectKey } from '../inventory.ts';
import { createDefinedGroups, type DefinedGroups } from './defined-groups.ts';
import { isReliable } from './is-reliable.ts';
import { versionText } from './rest-of.ts';

/** Where a watch has an object: one text per kind is shared by all places of it. */
export type ObjectPlace = { readonly kind: string; readonly key: string };

/** The versions of live objects, as the watches of their kinds report them. */
export type ObjectVersions = {
  /**
   * Has the kind of an object watched from now on. False where its versions do not tell whether an apply would still
   * change nothing.
   */
  readonly begin: (object: Pick<Named, 'apiVersion' | 'kind'>) => boolean;
  readonly placeOf: (object: Named) => ObjectPlace;
  /** What is known at this moment: undefined for an object that is not there, or whose kind is not watched reliably. */
  readonly now: () => (place: ObjectPlace) => string | undefined;
};

/** Called with what watches report. `version` is absent when the object is gone. */
export type OnChange = {
  readonly object: (key: string, version: string | undefined) => void;
  readonly group: (group: string) => void;
};

/** Only what tells one version from another is kept of each object. */
function keepVersion<T extends KubeObject>({ apiVersion, kind, metadata }: T): T {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } } as T;
}

/**
 * A kind is watched as soon as an object of it is at rest, without a limit to what a cluster has of it: about 350 bytes
 * per object are kept. Where the account may not list and watch it, its objects are looked at each time.
 */
export function objectVersions(
  { cache, clock }: Pick<Manager, 'cache' | 'clock'>,
  onChange: OnChange,
): ObjectVersions {
  const kinds = new Map<string, WatchedKind>();
  const groups = createDefinedGroups(cache, clock, (group) => onChange.group(group));
  const onEvent = ({ type, object }: CacheEvent): void => {
    const { apiVersion, kind, metadata } = object;
    const version = type === 'Delete' ? undefined : versionText(object);
    onChange.object(objectKey({ apiVersion, kind, ...metadata }), version);
  };
  const watched = ({ apiVersion, kind }: Pick<Named, 'apiVersion' | 'kind'>): WatchedKind => {
    const name = `${apiVersion} ${kind}`;
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const { group, version } = parseApiVersion(apiVersion);
    const informer: Informer = cache.informer(appliedOf({ group, version, kind }));
    informer.addHandler(onEvent);
    const begun = { name, group, informer };
    kinds.set(name, begun);
    return begun;
  };
  return {
    begin(object) {
      if (!groups.isSettled(parseApiVersion(object.apiVersion).group)) return false;
      watched(object);
      return true;
    },
    placeOf: (object) => ({ kind: watched(object).name, key: keyOf(object) }),
    now() {
      const reliable = new Map<string, Informer | undefined>();
      return ({ kind, key }) => {
        if (!reliable.has(kind)) reliable.set(kind, reliably(kinds.get(kind), groups));
        const live = reliable.get(kind)?.get(key);
        return live === undefined ? undefined : versionText(live);
      };
    },
  };
}

type WatchedKind = { readonly name: string; readonly group: string; readonly informer: Informer };

function appliedOf(ref: KindRef): PartRef {
  return partOf<KubeObject>(ref, 'applied', { transform: keepVersion, isOnDemand: true, isOptional: true });
}

function keyOf({ metadata: { namespace = '', name } }: Named): string {
  return namespace === '' ? name : [namespace, name].join('/');
}

function reliably(kind: WatchedKind | undefined, groups: DefinedGroups): Informer | undefined {
  const isUsable = kind !== undefined && isReliable(kind.informer) && groups.isDefined(kind.group);
  return isUsable ? kind.informer : undefined;
}
