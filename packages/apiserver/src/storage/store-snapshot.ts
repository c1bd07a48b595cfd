import { compareText, deepFreeze, type KubeObject } from '@kubewright/kube';
import { localError } from '../api-server-error.ts';
import type { Collection } from './collection.ts';
import { namespaceOf } from '../objects/name-of.ts';
import { objectKey, type StoredObject, storeObject } from './stored-object.ts';

/**
 * Everything that a server holds at one moment, uids and revisions included. Plain JSON: `stringifyJson` makes a file
 * of it, `parseJson` reads it back. In one process the frozen objects themselves are shared, so it costs no copy.
 * It holds Secrets as they are, but no credentials of the server: tokens, keys and certificates are not in the store.
 */
export type StoreSnapshot = {
  readonly revision: number;
  readonly resources: readonly ResourceSnapshot[];
};

/** The objects of a resource, of all its versions, in the order of their keys. */
export type ResourceSnapshot = {
  readonly group: string;
  readonly resource: string;
  readonly objects: readonly KubeObject[];
  /** Keys (`namespace/name`) of objects whose next write counts even if it changes nothing. */
  readonly unsettled?: readonly string[];
};

export type RestoreOptions = {
  /**
   * Added to the snapshot's revision, as `etcdutl snapshot restore --bump-revision --mark-compacted` does: a
   * client that saw revisions after the snapshot gets 410 and relists. Default 0: such a client watches from a revision
   * in the future, and gets no events until the server reaches it. That is what a plain restore of etcd does too.
   */
  readonly bumpRevision?: number;
};

/** A collection and its resource. */
export type HeldCollection = {
  readonly group: string;
  readonly resource: string;
  readonly collection: Collection;
};

export function snapshotOf(held: Iterable<HeldCollection>): readonly ResourceSnapshot[] {
  return [...held].map(resourceSnapshot).filter(({ objects }) => objects.length > 0);
}

function resourceSnapshot({ group, resource, collection }: HeldCollection): ResourceSnapshot {
  const objects = collection.entries.map(({ object, written }) => written ?? object);
  const unsettled = collection.entries.flatMap((entry) => (entry.unsettled ? [entry.key] : []));
  const base = { group, resource, objects };
  return unsettled.length === 0 ? base : { ...base, unsettled };
}

/** What a snapshot's resource is in a collection. Throws where it is no snapshot. */
export function entriesOf({
  group,
  resource,
  objects,
  unsettled = [],
}: ResourceSnapshot): readonly StoredObject[] {
  const keys = new Set(unsettled);
  const entries = objects.map((object) => {
    const { name, resourceVersion } = object.metadata;
    if (name === undefined || name === '' || !/^\d+$/.test(resourceVersion ?? '')) {
      throw localError(
        'Malformed',
        `snapshot: an object of ${resource} ${group} without name or resourceVersion`,
      );
    }
    const key = objectKey(namespaceOf(object), name);
    return storeObject(key, deepFreeze(object), Number(resourceVersion), keys.has(key));
  });
  return entries.sort((a, b) => compareText(a.key, b.key));
}
