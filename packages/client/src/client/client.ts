import type { ApplyConfiguration, Json, KubeObject, Status, Stored } from '@kubewright/kube';
import type { RestMapper } from '../rest/rest-mapper.ts';
import type { ObjectKey, Ref, WriteRef } from '../rest/resource-ref.ts';
import type { WatchEvent } from '../watch/watch-event.ts';

/** Options of every call. */
export type CallOptions = {
  /** Aborting rejects the call with reason `Aborted`; a watch ends. */
  readonly signal?: AbortSignal | undefined;
};

/** `resourceVersion: '0'` accepts an older state from the server's cache. */
export type GetOptions = CallOptions & {
  readonly resourceVersion?: string;
  readonly subresource?: string;
};

export type ListOptions = CallOptions & {
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects per page at most; go on with `continue` of the answer. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
};

export type PageOptions = ListOptions & {
  /**
   * Called with the answer's `continue` when it is known before the rest of the page, which over a network it mostly is:
   * who asks for the next page then need not wait while this one is decoded. Not called otherwise.
   */
  readonly onContinue?: ((token: string) => void) | undefined;
};

export type WatchOptions = Omit<ListOptions, 'limit' | 'continue'> & {
  readonly allowWatchBookmarks?: boolean;
  /** Begin with an ADDED per present object and a bookmark that ends them (KEP-3157). */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after so long. */
  readonly timeoutSeconds?: number;
  /** Called when the server has accepted the watch. The first event may be long in coming. */
  readonly onOpen?: () => void;
};

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export type WriteOptions = CallOptions & {
  /** Recorded in `metadata.managedFields`. */
  readonly fieldManager?: string;
  readonly fieldValidation?: FieldValidation;
  /** Do everything but keep the result. */
  readonly dryRun?: boolean;
  /** `status`, `scale`, …: write that part only. */
  readonly subresource?: string;
};

/** Server-side apply. `force` takes fields from other managers instead of failing with a conflict. */
export type ApplyOptions = WriteOptions & { readonly force?: boolean };

export type DeleteOptions = CallOptions & {
  readonly dryRun?: boolean;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
};

/** `json` is RFC 6902, `merge` RFC 7386, `strategic` knows the built-in types' list keys. */
export type Patch =
  | { readonly type: 'json'; readonly body: readonly Json[] }
  | { readonly type: 'merge' | 'strategic'; readonly body: Json };

/** One page of a list, or all of it when `continue` is absent. */
export type ObjectList<T extends KubeObject = KubeObject> = {
  readonly items: readonly Stored<T>[];
  /** Where a watch begins that misses nothing after this list. */
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
};

/**
 * Typed access to an API server. Objects are plain JSON, as the server sent them; nothing is converted to classes
 * or dates. Every refusal is an `ApiError`.
 *
 * A create, update, patch or apply returns the object as stored; its argument is never changed. What comes back has a
 * name, a uid and a resourceVersion, or the call fails with `InvalidResponse`. Where nothing is stored (a dry run that
 * would create, a subresource with objects of its own, a {@link ResourceRef} with `stored: false`), those that the server
 * left out are empty.
 */
export type Client = {
  readonly mapper: RestMapper;
  get<T extends KubeObject>(ref: Ref<T>, key: ObjectKey, options?: GetOptions): Promise<Stored<T>>;
  list<T extends KubeObject>(ref: Ref<T>, options?: PageOptions): Promise<ObjectList<T>>;
  create<T extends KubeObject, I extends KubeObject = T>(
    ref: WriteRef<T, I>,
    object: NoInfer<I>,
    options?: WriteOptions,
  ): Promise<Stored<T>>;
  /** Replaces the object; a conflict if `metadata.resourceVersion` is set and not the current one. */
  update<T extends KubeObject, I extends KubeObject = T>(
    ref: WriteRef<T, I>,
    object: NoInfer<I>,
    options?: WriteOptions,
  ): Promise<Stored<T>>;
  patch<T extends KubeObject>(
    ref: Ref<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<Stored<T>>;
  /** `object` holds the fields that the manager wants, all of them and no others. */
  apply<T extends KubeObject>(
    ref: Ref<T>,
    object: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
  /** The object when it lives on (finalizers, grace period), or the server's Status. */
  delete<T extends KubeObject>(
    ref: Ref<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<Stored<T> | Status>;
  deleteAll(ref: Ref, list: ListOptions, options?: DeleteOptions): Promise<void>;
  /**
   * Changes in the order in which the server made them. Ends when the server ends it, rejects when the connection
   * is lost or the watch is refused (410 `Expired` included); an error within the stream is an `ERROR` event.
   */
  watch<T extends KubeObject>(ref: Ref<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
};
