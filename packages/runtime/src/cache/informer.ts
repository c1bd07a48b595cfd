import { type Clock, isForbidden, onAbort, type Random } from '@kubewright/client';
import { compareResourceVersions, type KubeObject, type Stored } from '@kubewright/kube';
import type { Logger } from '../log/logger.ts';
import { type IndexFunction, keyOfObject, ObjectStore } from './object-store.ts';
import { OwnWrites } from './own-writes.ts';
import { type ListWatch, runReflector } from './run-reflector.ts';
import type { ReflectorEvent, ReflectorInput, ReflectorState } from './reflector-state.ts';

/** A change of the cache. `initial` marks the objects of the first list. */
export type CacheEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'Create'; readonly object: Stored<T>; readonly initial: boolean }
  | { readonly type: 'Update'; readonly object: Stored<T>; readonly old: Stored<T> }
  /** `object` is the last state that was seen: after an interrupted watch, not always the final one. */
  | { readonly type: 'Delete'; readonly object: Stored<T> };

/** Called with each change. An error is logged and does not affect other handlers. */
export type CacheHandler<T extends KubeObject = KubeObject> = (event: CacheEvent<T>) => void | Promise<void>;

export type InformerOptions<T extends KubeObject = KubeObject> = {
  /** For logs and health: `apps/v1 Deployment`. */
  readonly name: string;
  readonly source: ListWatch<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Drops what is not needed of each object. Returns a new object or the same one. */
  readonly transform?: (object: Stored<T>) => Stored<T>;
  /** Whether `source` lists this object. Default: it does. */
  readonly selects?: (object: Stored<T>) => boolean;
};

/** What proves that the server responds. */
const HEARD: ReadonlySet<ReflectorInput['type']> = new Set(['Page', 'Opened', 'Event', 'Ended']);

/** The state of an informer. */
export type InformerStatus = {
  readonly name: string;
  readonly synced: boolean;
  readonly objects: number;
  /** Milliseconds since the last page, event, bookmark or end of a watch. */
  readonly silentMs: number;
  /** Failures in a row; 0 while the server responds. */
  readonly failures: number;
  readonly lastError: string | undefined;
  /** The last request was forbidden: the account may not list or watch. */
  readonly forbidden: boolean;
};

/**
 * Stores the objects of one list and watch, and notifies handlers of changes. Shared: one watch serves any number of
 * handlers and readers.
 */
export class Informer<T extends KubeObject = KubeObject> {
  readonly name: string;
  /** The objects as the watch reported them. */
  readonly store: ObjectStore<T> = new ObjectStore<T>();
  readonly #own: OwnWrites<T>;
  /** All events up to this version have been received. */
  #position: string | undefined;
  readonly #options: InformerOptions<T>;
  readonly #handlers = new Set<CacheHandler<T>>();
  /** Keys seen since the list began; `undefined` while watching, and where there were no objects before it. */
  #listed: Set<string> | undefined;
  /** A list has just been completed: {@link #reached} comes next. */
  #isListed = false;
  #synced = false;
  #onSynced: (() => void)[] = [];
  #state: ReflectorState = { type: 'Empty', failures: 0 };
  #isServed = false;
  #lastHeard: number;
  #lastError: unknown;

  constructor(options: InformerOptions<T>) {
    this.name = options.name;
    this.#options = options;
    this.#lastHeard = options.clock.monotonic();
    this.#own = new OwnWrites(options.clock);
  }

  /** The object as the watch last reported it, or as a newer response to this process had it. */
  get(key: string): Stored<T> | undefined {
    return this.#own.read(key, this.store.get(key), this.#position);
  }

  /** All objects, each as {@link get} has it. */
  list(): readonly Stored<T>[] {
    if (this.#own.size === 0) return [...this.store.values()];
    const keys = new Set([...this.store.keys(), ...this.#own.keys()]);
    return [...keys].flatMap((key) => this.get(key) ?? []);
  }

  /** See `ObjectStore.addIndex`. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.store.addIndex(name, valuesOf);
    this.#own.addIndex(name, valuesOf);
  }

  /** The objects, each as {@link get} has it, that the index function of `name` puts under `value`. */
  byIndex(name: string, value: string): readonly Stored<T>[] {
    const watched = this.store.byIndex(name, value);
    if (this.#own.size === 0) return watched;
    const valuesOf = this.store.indexFunction(name);
    const keys = new Set([...watched.map(keyOfObject), ...this.#own.keysByIndex(name, value)]);
    return [...keys]
      .flatMap((key) => this.get(key) ?? [])
      .filter((object) => valuesOf(object).includes(value));
  }

  /** A response had `object`: reads are not older from now on. Handlers are notified by the watch. */
  shown(object: Stored<T>): void {
    const { uid, resourceVersion } = object.metadata;
    const { selects = () => true } = this.#options;
    const kept = selects(object) ? this.#transformed(object) : undefined;
    this.#own.shown(keyOfObject(object), uid, resourceVersion, kept);
  }

  /** A response showed that the object with `uid` is gone; `version` is the newest one of it that the response had. */
  gone(key: string, uid: string, version?: string): void {
    const seen = this.store.get(key)?.metadata;
    this.#own.gone(key, uid, version ?? (seen?.uid === uid ? seen.resourceVersion : undefined));
  }

  get synced(): boolean {
    return this.#synced;
  }

  /** False for an optional kind that the server did not serve when it was last listed. */
  get served(): boolean {
    return this.#options.source.isServed?.() ?? true;
  }

  /** Lists and watches until `signal` is aborted. Never rejects. */
  start(signal: AbortSignal): Promise<void> {
    const { source, clock, random } = this.#options;
    const onEvent = (event: ReflectorEvent<T>): void => this.#onEvent(event);
    const onState = (state: ReflectorState, input: ReflectorInput['type']): void =>
      this.#onState(state, input);
    return runReflector({ source, clock, random, onEvent, onState }, signal);
  }

  /** Adds a handler, which gets the stored objects as initial creations. Returns a function that removes it. */
  addHandler(handler: CacheHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.store.values()) this.#call(handler, { type: 'Create', object, initial: true });
    return () => this.#handlers.delete(handler);
  }

  /** Resolves when the first list is complete, or when `signal` is aborted. */
  waitForSync(signal?: AbortSignal): Promise<void> {
    if (this.#synced || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const forget = onAbort(signal, resolve);
      this.#onSynced.push(() => {
        forget();
        resolve();
      });
    });
  }

  status(): InformerStatus {
    return {
      name: this.name,
      synced: this.#synced,
      objects: this.store.size,
      silentMs: this.#options.clock.monotonic() - this.#lastHeard,
      failures: this.#isServed ? 0 : this.#state.failures,
      lastError: this.#lastError === undefined ? undefined : textOf(this.#lastError),
      forbidden: isForbidden(this.#lastError),
    };
  }

  #onState(state: ReflectorState, input: ReflectorInput['type']): void {
    this.#state = state;
    if (state.type === 'Watching') this.#reached(state.resourceVersion);
    this.#isServed = state.type !== 'Waiting' && (HEARD.has(input) || this.#isServed);
    if (HEARD.has(input)) this.#lastHeard = this.#options.clock.monotonic();
    if (state.failures === 0 || this.#isServed) this.#lastError = undefined;
    if (input !== 'Waited') this.#warn(state);
  }

  #warn(state: ReflectorState): void {
    if (state.type !== 'Waiting' || state.error === undefined) return;
    this.#lastError = state.error;
    const next = state.resume.type === 'Watching' ? 'resuming' : 'listing again';
    const why = isForbidden(state.error) ? ` for want of a right: ${textOf(state.error)}` : '';
    this.#options.log.warn(`watch of ${this.name} failed, ${next}${why}`, {
      error: state.error,
      failures: state.failures,
    });
  }

  #reached(position: string): void {
    if ((compareResourceVersions(position, this.#position ?? '') ?? 0) < 0) this.#own.clear();
    this.#position = position;
    const watchedAt = (key: string): Stored<T> | undefined => this.store.get(key);
    const missed = this.#isListed ? this.#own.missed(watchedAt, position) : [];
    this.#isListed = false;
    this.#own.forget(watchedAt, position);
    // No watch reports these, and handlers that know of them wait for their deletion.
    for (const object of missed) this.#emit({ type: 'Delete', object });
  }

  #onEvent(event: ReflectorEvent<T>): void {
    switch (event.type) {
      case 'Restarted':
        // What is in the store at its end, an empty one has from this list.
        this.#listed = this.store.size === 0 ? undefined : new Set();
        return;
      case 'Listed':
        for (const object of event.objects) {
          const key = this.#put(object);
          this.#listed?.add(key);
        }
        return;
      case 'Synced':
        this.#forgetUnlisted();
        this.#isListed = true;
        this.#markSynced();
        return;
      case 'Applied':
        this.#put(event.object);
        return;
      case 'Deleted':
        this.#remove(this.#transformed(event.object));
        return;
      case 'Bookmarked':
        return;
    }
  }

  #put(received: Stored<T>): string {
    const object = this.#transformed(received);
    const { resourceVersion, uid } = object.metadata;
    const key = keyOfObject(object);
    const old = this.store.get(key);
    if (old === undefined) {
      this.store.set(object);
      this.#emit({ type: 'Create', object, initial: !this.#synced });
    } else if (old.metadata.uid !== uid) {
      // Deleted and recreated while no watch was open: two changes, because the uid differs.
      this.#remove(old);
      this.store.set(object);
      this.#emit({ type: 'Create', object, initial: false });
    } else if (old.metadata.resourceVersion !== resourceVersion) {
      this.store.set(object);
      this.#emit({ type: 'Update', object, old });
    }
    return key;
  }

  #remove(last: Stored<T>): void {
    if (this.store.delete(keyOfObject(last)) !== undefined) this.#emit({ type: 'Delete', object: last });
  }

  #forgetUnlisted(): void {
    const listed = this.#listed;
    this.#listed = undefined;
    if (listed === undefined || listed.size === this.store.size) return;
    for (const key of this.store.keys()) {
      const object = listed.has(key) ? undefined : this.store.get(key);
      if (object !== undefined) this.#remove(object);
    }
  }

  #markSynced(): void {
    this.#synced = true;
    for (const resolve of this.#onSynced.splice(0)) resolve();
  }

  #transformed(object: Stored<T>): Stored<T> {
    const { transform, log } = this.#options;
    if (transform === undefined) return object;
    try {
      return transform(object);
    } catch (error) {
      log.error(`the transform of ${this.name} failed; the object is kept whole`, { error });
      return object;
    }
  }

  #emit(event: CacheEvent<T>): void {
    for (const handler of this.#handlers) this.#call(handler, event);
  }

  #call(handler: CacheHandler<T>, event: CacheEvent<T>): void {
    const failed = (error: unknown): void =>
      this.#options.log.error(`a handler of ${this.name} failed`, { error, type: event.type });
    try {
      const result = handler(event);
      if (result !== undefined) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}
