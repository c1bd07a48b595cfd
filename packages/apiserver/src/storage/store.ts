import { resourceKey } from '../model/resource-key.ts';
import { Collection } from './collection.ts';
import {
  entriesOf,
  type HeldCollection,
  type RestoreOptions,
  snapshotOf,
  type StoreSnapshot,
} from './store-snapshot.ts';

/** Everything the server holds: one collection per resource under one revision counter. */
export type Store = {
  /** The newest revision; what `resourceVersion` of a list is. */
  readonly revision: number;
  /** The objects of a resource, of all its versions. Created empty at first use. */
  collection(group: string, resource: string): Collection;
  /** Compacts the log up to now: watches and pages from earlier revisions get 410. */
  compact(): void;
  snapshot(): StoreSnapshot;
  /** Holds what the snapshot holds. Every history before is lost; see {@link Store.onRestore}. */
  restore(snapshot: StoreSnapshot, options?: RestoreOptions): void;
  /** Calls back before the store is restored: watches of revisions end. */
  onRestore(listener: () => void): () => void;
};

/**
 * @param history events that each resource keeps for watches that resume and lists that page. Default 1024.
 */
export function createStore({ history = 1024 }: { readonly history?: number } = {}): Store {
  return new MemoryStore(history);
}

class MemoryStore implements Store {
  readonly #history: number;
  readonly #held = new Map<string, HeldCollection>();
  readonly #restoreListeners = new Set<() => void>();
  // etcd's first revision is 1 too: it is what an empty store lists as.
  #revision = 1;
  /** What the last restore began with; 0 if there was none. */
  #begin = 0;

  constructor(history: number) {
    this.#history = history;
  }

  get revision(): number {
    return this.#revision;
  }

  collection(group: string, resource: string): Collection {
    const key = resourceKey(group, resource);
    const known = this.#held.get(key)?.collection;
    if (known !== undefined) return known;
    const nextRevision = (): number => ++this.#revision;
    const collection = new Collection({ nextRevision, history: this.#history, lostRevision: this.#begin });
    this.#held.set(key, { group, resource, collection });
    return collection;
  }

  compact(): void {
    for (const { collection } of this.#held.values()) collection.compact(this.#revision);
  }

  snapshot(): StoreSnapshot {
    return { revision: this.#revision, resources: snapshotOf(this.#held.values()) };
  }

  restore(snapshot: StoreSnapshot, { bumpRevision = 0 }: RestoreOptions = {}): void {
    // All is read before anything is changed: a broken snapshot leaves the store as it is.
    const read = snapshot.resources.map(
      (one) => [this.collection(one.group, one.resource), entriesOf(one)] as const,
    );
    const entries = new Map(read);
    for (const listener of this.#restoreListeners) listener();
    this.#begin = snapshot.revision + bumpRevision;
    this.#revision = this.#begin;
    for (const { collection } of this.#held.values()) {
      collection.restore(entries.get(collection) ?? [], this.#begin);
    }
  }

  onRestore(listener: () => void): () => void {
    this.#restoreListeners.add(listener);
    return () => this.#restoreListeners.delete(listener);
  }
}
