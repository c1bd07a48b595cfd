import { resourceKey } from '../registry/registry.ts';
import { Collection } from './collection.ts';

/** Everything the server holds: one collection per resource under one revision counter. */
export type Store = {
  /** The newest revision; what `resourceVersion` of a list is. */
  readonly revision: number;
  /** The objects of a resource, of all its versions. Created empty when first asked for. */
  collection(group: string, resource: string): Collection;
  /** Forgets the log up to now: watches and pages from earlier revisions are answered 410. */
  compact(): void;
};

/**
 * @param history events that each resource keeps for watches that resume and lists that page. Default 1024.
 */
export function createStore({ history = 1024 }: { readonly history?: number } = {}): Store {
  // etcd's first revision is 1 too: it is what an empty store lists as.
  let revision = 1;
  const collections = new Map<string, Collection>();
  const nextRevision = (): number => {
    revision += 1;
    return revision;
  };
  return {
    get revision() {
      return revision;
    },
    collection(group, resource) {
      const key = resourceKey(group, resource);
      let collection = collections.get(key);
      if (collection === undefined) {
        collection = new Collection({ nextRevision, history });
        collections.set(key, collection);
      }
      return collection;
    },
    compact() {
      for (const collection of collections.values()) collection.compact(revision);
    },
  };
}
