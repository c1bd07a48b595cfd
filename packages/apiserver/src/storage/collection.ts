import { compareText, deepFreeze, type KubeObject } from '@kubewright/kube';
import type { ValuesOf } from '../model/resource-definition.ts';
import type { EventType, StoreEvent } from './store-event.ts';
import { forgetEncodings, rereadObject, type StoredObject, storeObject } from './stored-object.ts';
import { ValueIndex } from './value-index.ts';

/** How revisions are counted, and how many events a collection keeps for late watchers and consistent pages. */
export type CollectionOptions = {
  readonly nextRevision: () => number;
  readonly history: number;
  /** The collection begins after this revision: what came before is compacted. Default 0. */
  readonly lostRevision?: number;
};

/** All objects of one resource, sorted as etcd sorts keys, with the log of what was written. */
export class Collection {
  readonly #options: CollectionOptions;
  readonly #byKey = new Map<string, StoredObject>();
  readonly #entries: StoredObject[] = [];
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  readonly #indexes = new Map<ValuesOf, ValueIndex>();
  #log: StoreEvent[] = [];
  #lostRevision: number;
  #read: (object: KubeObject) => KubeObject = (object) => object;

  constructor(options: CollectionOptions) {
    this.#options = options;
    this.#lostRevision = options.lostRevision ?? 0;
  }

  /** Now, in key order. The array is not to be changed and holds until the next write. */
  get entries(): readonly StoredObject[] {
    return this.#entries;
  }

  /** Revision of the newest event that the log has lost; 0 while it is whole. */
  get lostRevision(): number {
    return this.#lostRevision;
  }

  get(key: string): StoredObject | undefined {
    return this.#byKey.get(key);
  }

  /** The objects of a namespace, by name. */
  inNamespace(namespace: string): readonly StoredObject[] {
    const entries = this.#entries;
    if (entries.length === 0) return entries;
    // '0' is the character after '/': the first key past the namespace.
    return entries.slice(position(entries, `${namespace}/`), position(entries, `${namespace}0`));
  }

  /** The objects for which `valuesOf`, the same function each time, returns `value`: in no order. */
  withValue(valuesOf: ValuesOf, value: string): readonly StoredObject[] {
    const index = this.#indexes.get(valuesOf) ?? new ValueIndex(valuesOf, this.#entries);
    this.#indexes.set(valuesOf, index);
    return index.with(value);
  }

  /** As `entries` was at `revision`; undefined when the log no longer reaches back that far. */
  at(revision: number): readonly StoredObject[] | undefined {
    if (revision < this.#lostRevision) return undefined;
    const last = this.#log.at(-1)?.revision ?? 0;
    return last <= revision ? this.#entries : rewind(this.#entries, this.#log, revision);
  }

  /** Events after `revision` in order; undefined when the log no longer reaches back that far. */
  since(revision: number): readonly StoreEvent[] | undefined {
    return revision < this.#lostRevision ? undefined : this.#log.slice(firstAfter(this.#log, revision));
  }

  /** Creates or replaces. The object gets its `metadata.resourceVersion` and is frozen. */
  put(key: string, object: KubeObject, unsettled = false): StoredObject {
    const previous = this.#byKey.get(key);
    const stored = stamp(key, object, this.#options.nextRevision(), unsettled);
    this.#byKey.set(key, stored);
    this.#entries.splice(position(this.#entries, key), previous === undefined ? 0 : 1, stored);
    this.#commit(previous === undefined ? 'ADDED' : 'MODIFIED', stored, previous);
    return stored;
  }

  /** Removes; returns the last state under the revision of its deletion. */
  remove(key: string): StoredObject | undefined {
    const previous = this.#byKey.get(key);
    if (previous === undefined) return undefined;
    const last = stamp(key, previous.object, this.#options.nextRevision());
    this.#byKey.delete(key);
    this.#entries.splice(position(this.#entries, key), 1);
    this.#commit('DELETED', last, previous);
    return last;
  }

  /** Calls `listener` with each event as it is committed. */
  subscribe(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets events up to `revision`. */
  compact(revision: number): void {
    this.#log = this.#log.slice(firstAfter(this.#log, revision));
    this.#lostRevision = Math.max(this.#lostRevision, revision);
  }

  /**
   * From now on stored objects are what `read` makes of what was written: itself, where nothing changes. Nothing is
   * written, and there are no events.
   */
  reread(read: (object: KubeObject) => KubeObject): void {
    this.#read = read;
    this.#hold(this.#entries);
  }

  #hold(entries: readonly StoredObject[]): readonly StoredObject[] {
    const read = entries.map((entry) => rereadObject(entry, this.#read));
    const before = this.#entries.splice(0, this.#entries.length, ...read);
    this.#indexes.clear();
    this.#byKey.clear();
    for (const entry of read) this.#byKey.set(entry.key, entry);
    return before;
  }

  /**
   * Holds `entries` (in key order) and nothing else, as of `revision`; the log is lost. Listeners get
   * events of what differs, each object under the revision that it has.
   */
  restore(entries: readonly StoredObject[], revision: number): void {
    const before = this.#hold(entries);
    this.#log = [];
    this.#lostRevision = revision;
    this.#emitDifference(before);
  }

  #emitDifference(before: readonly StoredObject[]): void {
    const previous = new Map(before.map((entry) => [entry.key, entry]));
    for (const object of before) if (!this.#byKey.has(object.key)) this.#emit('DELETED', object, object);
    for (const object of this.#entries) {
      const old = previous.get(object.key);
      if (old?.object === object.object) continue;
      this.#emit(old === undefined ? 'ADDED' : 'MODIFIED', object, old);
    }
  }

  #emit(type: EventType, object: StoredObject, previous: StoredObject | undefined): void {
    const event = eventOf(type, object, previous);
    for (const listener of this.#listeners) listener(event);
  }

  #commit(type: EventType, object: StoredObject, previous: StoredObject | undefined): void {
    const event = eventOf(type, object, previous);
    for (const index of this.#indexes.values())
      index.replace(previous, type === 'DELETED' ? undefined : object);
    this.#log.push(event);
    // What is superseded is seldom read again; then it is encoded again.
    if (previous !== undefined) forgetEncodings(previous);
    // A quarter over the length all of it goes at once: trimming costs nothing per event.
    const { history } = this.#options;
    if (this.#log.length > 1.25 * history) this.compact(this.#log.at(-history - 1)?.revision ?? 0);
    for (const listener of this.#listeners) listener(event);
    // All watchers have the frame by now; later ones make it again.
    event.frames.clear();
  }
}

function eventOf(type: EventType, object: StoredObject, previous: StoredObject | undefined): StoreEvent {
  const { revision } = object;
  const frames = new Map<string, Uint8Array>();
  // No spread: each event would get a hidden class of its own.
  return previous === undefined
    ? { revision, type, object, frames }
    : { revision, type, object, frames, previous };
}

function stamp(key: string, object: KubeObject, revision: number, unsettled = false): StoredObject {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  return storeObject(key, deepFreeze({ ...object, metadata }), revision, unsettled);
}

/** Where `key` is, or would be. */
export function position(entries: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && entry.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstAfter(log: readonly StoreEvent[], revision: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const event = log[middle];
    if (event !== undefined && event.revision <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Undoes the events after `revision`. The oldest event of a key holds the state before. */
function rewind(
  entries: readonly StoredObject[],
  log: readonly StoreEvent[],
  revision: number,
): readonly StoredObject[] {
  const before = new Map<string, StoredObject | undefined>();
  for (const event of log.slice(firstAfter(log, revision))) {
    if (!before.has(event.object.key)) before.set(event.object.key, event.previous);
  }
  const then = entries.filter((entry) => !before.has(entry.key));
  for (const entry of before.values()) if (entry !== undefined) then.push(entry);
  return then.sort((a, b) => compareText(a.key, b.key));
}
