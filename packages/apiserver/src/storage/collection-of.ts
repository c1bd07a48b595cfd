import type { ResourceDefinition } from '../model/resource-definition.ts';
import type { Collection } from './collection.ts';
import type { Store } from './store.ts';

/** Where the objects of a resource are stored: all its versions, and groups, share one place. */
export function collectionOf(
  store: Pick<Store, 'collection'>,
  { storageGroup, group, resource }: Pick<ResourceDefinition, 'storageGroup' | 'group' | 'resource'>,
): Collection {
  return store.collection(storageGroup ?? group, resource);
}
