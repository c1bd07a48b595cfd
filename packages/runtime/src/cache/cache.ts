import type { Client, Clock, ObjectKey, Random, Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { Logger } from '../log/logger.ts';
import type { CacheHealth } from './cache-health.ts';
import type { Informer } from './informer.ts';
import type { IndexFunction } from './object-store.ts';
import type { Selection } from './selection.ts';

/** Which objects of a kind are cached, and which part of each. */
export type CachedKind = Selection & {
  /** The server need not serve the kind: then it has no objects, and is looked for each minute (see `Informer.served`). */
  readonly isOptional?: true;
  /**
   * An object has named the kind: until it is listed, and where it cannot be, reads go to the server. So the process is ready
   * without it, and nobody who writes objects takes webhooks out of their Service.
   */
  readonly isOnDemand?: true;
  /** Objects per page of the first list. Default 500. */
  readonly pageSize?: number;
  readonly transform?: <T extends KubeObject>(object: T) => T;
};

export type CacheOptions = {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** For kinds without settings of their own. */
  readonly defaults?: CachedKind;
  /** A kind is stale when nothing arrived for this long. Default 11 minutes: a watch lasts 10 at most. */
  readonly staleAfterMs?: number;
};

/**
 * Reads from memory, kept up to date by one informer (list and watch) per kind. A read may be stale, but never older than
 * a write through a client made by `readYourWrites`, as the manager's is.
 */
export type Cache = {
  /**
   * The shared informer of a kind, or of a part of it (see `partOf`); created at the first call, with its settings. Other
   * settings later throw `InvalidState`.
   */
  informer<T extends KubeObject>(ref: Ref<T>, settings?: CachedKind): Informer<T>;
  /** Throws `NotCached` for a kind without an informer. Objects are shared: never mutate one. */
  get<T extends KubeObject>(ref: Ref<T>, key: ObjectKey): Stored<T> | undefined;
  list<T extends KubeObject>(ref: Ref<T>, options?: Selection): readonly Stored<T>[];
  /** The objects whose index function `name` returned `value`. */
  byIndex<T extends KubeObject>(ref: Ref<T>, name: string, value: string): readonly Stored<T>[];
  /** Adds an index, and creates the informer if need be. The same function may be added again, another of its name may not. */
  addIndex<T extends KubeObject>(ref: Ref<T>, name: string, valuesOf: IndexFunction<T>): void;
  /** The informers that hold objects of a kind. */
  informersOf<T extends KubeObject>(ref: Ref<T>): readonly Informer<T>[];
  /** Runs the informers, also those created later, until `signal` is aborted. Never rejects. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when the cache is started and all informers have their first list, or when `signal` is aborted. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  health(): CacheHealth;
};
