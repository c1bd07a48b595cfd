import type { Clock } from '@kubewright/client';
import { compareResourceVersions, type KubeObject, type Stored } from '@kubewright/kube';
import { type IndexFunction, keyOfObject, ObjectStore } from './object-store.ts';

/** The state of one key from a response, until the watch has caught up with it. */
type Entry<T extends KubeObject> = {
  readonly uid: string;
  /** The version of `object`; after a deletion the newest known version of the deleted object, if any. */
  readonly version: string | undefined;
  /** Absent: deleted, or not selected by this cache. */
  readonly object: Stored<T> | undefined;
  /** `object`, or after a deletion the last known state of it. */
  readonly last: Stored<T> | undefined;
  /** Deleted: no version of this uid is read again. */
  readonly gone: boolean;
  readonly at: number;
};

/** How long a response counts that no watch confirms: a watch that is broken for longer is unhealthy anyway. */
const BELIEVED_MS = 5 * 60_000;

/**
 * The states that this process knows from responses and its watch has not reported yet. Reads prefer them to the watch's,
 * so that no read is older than a write of this process.
 *
 * Invariant: an entry is dropped as soon as the watch has caught up (`position`), or has a newer version of the key.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<T>>();
  /** The objects of the entries, for lookups by index. */
  readonly #objects = new ObjectStore<T>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Of the entries with an object: no others add anything to what the watch has. A cache that selects few objects has
   * entries of all that this process writes of their kind.
   */
  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  get size(): number {
    return this.#entries.size;
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#objects.addIndex(name, valuesOf);
  }

  /** Keys of the entries whose object has the index value `value`; {@link read} tells whether they still count. */
  keysByIndex(name: string, value: string): readonly string[] {
    return this.#objects.byIndex(name, value).map(keyOfObject);
  }

  /**
   * A response had `object`, with `uid` and `version`; `object` is absent where this cache does not select it. Without
   * comparable versions only the watch counts.
   */
  shown(key: string, uid: string, version: string, object: Stored<T> | undefined): void {
    if (compareResourceVersions(version, version) === undefined) return;
    const known = this.#entries.get(key);
    if (known !== undefined && !isNewer(version, known.version)) return;
    this.#put(key, { uid, version, object, last: object, gone: false, at: this.#clock.monotonic() });
  }

  /** The object with `uid` is gone; `version` is the newest known one. */
  gone(key: string, uid: string, version: string | undefined): void {
    const known = this.#entries.get(key);
    if (known !== undefined && known.uid !== uid && !isNewer(version, known.version)) return;
    const newest = known?.uid === uid && !isNewer(version, known.version) ? known.version : version;
    const last = known?.uid === uid ? known.last : undefined;
    const at = this.#clock.monotonic();
    this.#put(key, { uid, version: newest, object: undefined, last, gone: true, at });
  }

  /** The state to read under `key`: the watch has reported `watched`, and everything up to `position`. */
  read(key: string, watched: Stored<T> | undefined, position: string | undefined): Stored<T> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return watched;
    // The entry stays for now: a list may still have to report the deletion of its object.
    if (this.#isOver(entry, watched, position)) return watched;
    if (!entry.gone) return entry.object;
    const another = watched !== undefined && watched.metadata.uid !== entry.uid;
    return another && entry.version === undefined ? watched : undefined;
  }

  /** The server's versions went back, as after a restore from a backup: no earlier response counts. */
  clear(): void {
    for (const key of this.#entries.keys()) this.#remove(key);
  }

  /** Drops the entries that the watch has caught up with. They are roughly in the order of their versions. */
  forget(watchedAt: (key: string) => Stored<T> | undefined, position: string | undefined): void {
    for (const [key, entry] of this.#entries) {
      if (this.#isOver(entry, watchedAt(key), position)) this.#remove(key);
      // An entry without a version has no place in that order.
      else if (entry.version !== undefined) return;
    }
  }

  /**
   * Objects that responses had, but neither the list up to `position` nor anything before it: they were created and deleted
   * while no watch was open.
   */
  missed(watchedAt: (key: string) => Stored<T> | undefined, position: string): readonly Stored<T>[] {
    return [...this.#entries].flatMap(([key, entry]) => {
      const watched = watchedAt(key);
      const isThere = watched?.metadata.uid === entry.uid;
      return isThere || entry.last === undefined || !this.#isOver(entry, watched, position)
        ? []
        : [entry.last];
    });
  }

  #isOver(entry: Entry<T>, watched: Stored<T> | undefined, position: string | undefined): boolean {
    if (this.#clock.monotonic() - entry.at > BELIEVED_MS) return true;
    const { version, gone, uid } = entry;
    const ownGone = watched?.metadata.uid !== uid;
    if (version === undefined) return false;
    if (isAtLeast(position, version)) return !gone || ownGone;
    return isAtLeast(watched?.metadata.resourceVersion, version) && (!gone || ownGone);
  }

  /** The newest entry is last. */
  #put(key: string, entry: Entry<T>): void {
    this.#remove(key);
    this.#entries.set(key, entry);
    if (entry.object !== undefined) this.#objects.set(entry.object);
  }

  #remove(key: string): void {
    this.#entries.delete(key);
    this.#objects.delete(key);
  }
}

function isNewer(version: string | undefined, than: string | undefined): boolean {
  if (than === undefined) return true;
  return version !== undefined && (compareResourceVersions(version, than) ?? -1) > 0;
}

function isAtLeast(version: string | undefined, wanted: string): boolean {
  return version !== undefined && (compareResourceVersions(version, wanted) ?? -1) >= 0;
}
