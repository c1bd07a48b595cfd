import type { Clock } from '@kubewright/client';
import { compareResourceVersions, type KubeObject, type Stored } from '@kubewright/kube';
import { type IndexFunction, keyOfObject, ObjectStore } from './object-store.ts';

/** What the server answered about one key, as long as the watch has not told it yet. */
type Answer<T extends KubeObject> = {
  readonly uid: string;
  /** Of `object`; of a deletion the newest version that is known of what was deleted, or none. */
  readonly version: string | undefined;
  /** Absent: gone, or not among what is cached. */
  readonly object: Stored<T> | undefined;
  /** `object`, or of a deletion the last that was shown of what was deleted. */
  readonly last: Stored<T> | undefined;
  /** Deleted for good: no version of this uid is to be seen again. */
  readonly gone: boolean;
  readonly at: number;
};

/** An answer that no watch confirms is believed for so long: a watch that is broken for longer is unhealthy anyway. */
const BELIEVED_MS = 5 * 60_000;

/**
 * What this process knows from the answers to its own calls, and its watch does not know yet: laid over what the watch
 * has told, so that nobody reads a state older than what was written.
 *
 * Invariant: an answer gives way as soon as the watch has told as much (`position`), or something newer of the key.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #clock: Clock;
  readonly #answers = new Map<string, Answer<T>>();
  /** The objects of the answers, to be found by index. */
  readonly #objects = new ObjectStore<T>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keys(): Iterable<string> {
    return this.#answers.keys();
  }

  get size(): number {
    return this.#answers.size;
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#objects.addIndex(name, valuesOf);
  }

  /** Keys of the answers whose object is under `value`; whether they are over, {@link read} says. */
  keysByIndex(name: string, value: string): readonly string[] {
    return this.#objects.byIndex(name, value).map(keyOfObject);
  }

  /**
   * The server showed `object`, of `uid` and `version`; `object` is absent if it is not among what is cached. Versions
   * that cannot be compared are of no use: there only the watch counts.
   */
  shown(key: string, uid: string, version: string, object: Stored<T> | undefined): void {
    if (compareResourceVersions(version, version) === undefined) return;
    const known = this.#answers.get(key);
    if (known !== undefined && !isNewer(version, known.version)) return;
    this.#put(key, { uid, version, object, last: object, gone: false, at: this.#clock.monotonic() });
  }

  /** The server no longer has what had `uid`; `version` is the newest of it that is known. */
  gone(key: string, uid: string, version: string | undefined): void {
    const known = this.#answers.get(key);
    if (known !== undefined && known.uid !== uid && !isNewer(version, known.version)) return;
    const newest = known?.uid === uid && !isNewer(version, known.version) ? known.version : version;
    const last = known?.uid === uid ? known.last : undefined;
    const at = this.#clock.monotonic();
    this.#put(key, { uid, version: newest, object: undefined, last, gone: true, at });
  }

  /** What is to be read under `key`, where the watch has told `watched` and everything up to `position`. */
  read(key: string, watched: Stored<T> | undefined, position: string | undefined): Stored<T> | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined) return watched;
    // It stays until it is forgotten: a list may still have to tell that its object is gone.
    if (this.#isOver(answer, watched, position)) return watched;
    if (!answer.gone) return answer.object;
    const another = watched !== undefined && watched.metadata.uid !== answer.uid;
    return another && answer.version === undefined ? watched : undefined;
  }

  /** The server has gone back in time, as one that was restored from a backup: nothing that it said before counts. */
  clear(): void {
    for (const key of this.#answers.keys()) this.#remove(key);
  }

  /** Forgets what the watch has told by now. Answers come in about the order of their versions. */
  forget(watchedAt: (key: string) => Stored<T> | undefined, position: string | undefined): void {
    for (const [key, answer] of this.#answers) {
      if (this.#isOver(answer, watchedAt(key), position)) this.#remove(key);
      // One without a version is in no order.
      else if (answer.version !== undefined) return;
    }
  }

  /**
   * What answers have shown and a list up to `position` has not, nor anything before it: it came and went while nobody
   * watched.
   */
  missed(watchedAt: (key: string) => Stored<T> | undefined, position: string): readonly Stored<T>[] {
    return [...this.#answers].flatMap(([key, answer]) => {
      const watched = watchedAt(key);
      const isThere = watched?.metadata.uid === answer.uid;
      return isThere || answer.last === undefined || !this.#isOver(answer, watched, position)
        ? []
        : [answer.last];
    });
  }

  #isOver(answer: Answer<T>, watched: Stored<T> | undefined, position: string | undefined): boolean {
    if (this.#clock.monotonic() - answer.at > BELIEVED_MS) return true;
    const { version, gone, uid } = answer;
    const ownGone = watched?.metadata.uid !== uid;
    if (version === undefined) return false;
    if (isAtLeast(position, version)) return !gone || ownGone;
    return isAtLeast(watched?.metadata.resourceVersion, version) && (!gone || ownGone);
  }

  /** The youngest stands last. */
  #put(key: string, answer: Answer<T>): void {
    this.#remove(key);
    this.#answers.set(key, answer);
    if (answer.object !== undefined) this.#objects.set(answer.object);
  }

  #remove(key: string): void {
    this.#answers.delete(key);
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
