import type { Client, Clock, ObjectKey, Random, Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { Logger } from '../log/logger.ts';
import type { CacheHealth } from './cache-health.ts';
import type { Informer } from './informer.ts';
import type { IndexFunction } from './object-store.ts';
import type { Selection } from './selection.ts';

/** Which objects of a kind are cached, and what is kept of them. */
export type CachedKind = Selection & {
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
  /** A kind whose server has been silent for longer is unhealthy. Default 11 minutes: watches last 10 at most. */
  readonly staleAfterMs?: number;
};

/**
 * Reads served from memory, kept up to date by one list+watch per kind. What is read may be older than what the server
 * has, but never older than what was written through a client made by `readYourWrites`, as a manager's is.
 */
export type Cache = {
  /**
   * The shared informer of a kind, or of a part of it (see `partOf`), begun if need be. Settings are those of whoever
   * begins it; other ones later are `InvalidState`.
   */
  informer<T extends KubeObject>(ref: Ref<T>, settings?: CachedKind): Informer<T>;
  /** Throws `NotCached` for a kind without an informer. Objects are shared: never change one. */
  get<T extends KubeObject>(ref: Ref<T>, key: ObjectKey): Stored<T> | undefined;
  list<T extends KubeObject>(ref: Ref<T>, options?: Selection): readonly Stored<T>[];
  /** Objects that the index function of `name` put under `value`. */
  byIndex<T extends KubeObject>(ref: Ref<T>, name: string, value: string): readonly Stored<T>[];
  /** Declares an index, begun kind and all; the same function may be declared again, another under its name may not. */
  addIndex<T extends KubeObject>(ref: Ref<T>, name: string, valuesOf: IndexFunction<T>): void;
  /** The informers that hold objects of a kind. */
  informersOf<T extends KubeObject>(ref: Ref<T>): readonly Informer<T>[];
  /** Runs the informers, also those begun later, until `signal` is aborted. Never rejects. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when the cache is started and all informers have their first list, or when `signal` is aborted. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  health(): CacheHealth;
};
