import type { KubeObject, Stored } from '@kubewright/kube';
import { RuntimeError } from '../runtime-error.ts';

/** The index values of an object, maybe none. Must not throw for any object of the kind. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: Stored<T>) => readonly string[];

type Index<T extends KubeObject> = {
  readonly valuesOf: IndexFunction<T>;
  readonly keys: Map<string, Set<string>>;
};

/** `namespace/name`, or `name` for a cluster-scoped object. Joined, it is one text: of a concatenation V8 keeps the parts, too. */
export function storeKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : [namespace, name].join('/');
}

/** {@link storeKey} of an object. */
export function keyOfObject({ metadata }: Stored): string {
  return storeKey(metadata.namespace, metadata.name);
}

/**
 * Objects by key, and by index.
 *
 * Invariant: a key is in an index under exactly the values that the index function gives for the stored object.
 */
export class ObjectStore<T extends KubeObject = KubeObject> {
  #objects = new Map<string, Stored<T>>();
  readonly #indexes = new Map<string, Index<T>>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): Stored<T> | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<Stored<T>> {
    return this.#objects.values();
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Stores `object`; returns the one that it replaces. */
  set(object: Stored<T>): Stored<T> | undefined {
    const key = keyOfObject(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) {
      if (old !== undefined) remove(index, key, old);
      add(index, key, object);
    }
    return old;
  }

  delete(key: string): Stored<T> | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) remove(index, key, old);
    return old;
  }

  /**
   * Adds an index, and indexes the stored objects. The same function may be added again; another one of its name throws
   * `InvalidState`.
   */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known?.valuesOf === valuesOf) return;
    if (known !== undefined) throw new RuntimeError('InvalidState', `there is another index ${name} already`);
    const index: Index<T> = { valuesOf, keys: new Map() };
    for (const [key, object] of this.#objects) add(index, key, object);
    this.#indexes.set(name, index);
  }

  /** Throws `NoIndex` for an unknown index. */
  indexFunction(name: string): IndexFunction<T> {
    return this.#index(name).valuesOf;
  }

  byIndex(name: string, value: string): readonly Stored<T>[] {
    const keys = this.#index(name).keys.get(value) ?? [];
    return [...keys].flatMap((key) => this.#objects.get(key) ?? []);
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (index === undefined)
      throw new RuntimeError('NoIndex', `there is no index ${name}: declare it with cache.addIndex`);
    return index;
  }
}

function add<T extends KubeObject>(index: Index<T>, key: string, object: Stored<T>): void {
  for (const value of index.valuesOf(object)) {
    const keys = index.keys.get(value);
    if (keys === undefined) index.keys.set(value, new Set([key]));
    else keys.add(key);
  }
}

function remove<T extends KubeObject>(index: Index<T>, key: string, object: Stored<T>): void {
  for (const value of index.valuesOf(object)) {
    const keys = index.keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) index.keys.delete(value);
  }
}
