import type { ApplyConfiguration, Json, KubeObject, Status, Stored } from '@kubewright/kube';
import type { RestMapper } from '../rest/rest-mapper.ts';
import type { ObjectKey, Ref, WriteRef } from '../rest/resource-ref.ts';
import type { WatchEvent } from '../watch/watch-event.ts';

/** Options of every call. */
export type CallOptions = {
  /** Aborting rejects the call with reason `Aborted`; a watch ends. */
  readonly signal?: AbortSignal | undefined;
};

/** `resourceVersion: '0'` accepts a stale read from the server's cache. */
export type GetOptions = CallOptions & {
  readonly resourceVersion?: string;
  readonly subresource?: string;
};

export type ListOptions = CallOptions & {
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects per page at most; the list's `continue` fetches the next page. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
};

export type PageOptions = ListOptions & {
  /**
   * Called with the list's `continue` as soon as the first bytes hold it, so that the next page can be requested while
   * this one is decoded. Not called when they do not.
   */
  readonly onContinue?: ((token: string) => void) | undefined;
};

export type WatchOptions = Omit<ListOptions, 'limit' | 'continue'> & {
  readonly allowWatchBookmarks?: boolean;
  /** Begins with an ADDED event for each existing object and a bookmark after them (KEP-3157). */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number;
  /** Called when the server has accepted the watch: the first event may come much later. */
  readonly onOpen?: () => void;
};

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export type WriteOptions = CallOptions & {
  /** Recorded in `metadata.managedFields`. */
  readonly fieldManager?: string;
  readonly fieldValidation?: FieldValidation;
  /** Validates and admits, but stores nothing. */
  readonly dryRun?: boolean;
  /** Writes to this subresource: `status`, `scale`, … */
  readonly subresource?: string;
};

/** Server-side apply. `force` takes fields from other managers instead of failing with a conflict. */
export type ApplyOptions = WriteOptions & { readonly force?: boolean };

/** `container` is required where the pod has several. `limitBytes`: no more than this, by default 16 MiB. */
export type PodLogOptions = CallOptions & { readonly container?: string; readonly limitBytes?: number };

export type DeleteOptions = CallOptions & {
  readonly dryRun?: boolean;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
};

/** `json` is RFC 6902, `merge` RFC 7386, `strategic` merges lists of built-in kinds by their merge keys. */
export type Patch =
  | { readonly type: 'json'; readonly body: readonly Json[] }
  | { readonly type: 'merge' | 'strategic'; readonly body: Json };

/** One page of a list: the last one when `continue` is absent. */
export type ObjectList<T extends KubeObject = KubeObject> = {
  readonly items: readonly Stored<T>[];
  /** A watch from here misses no change after this list. */
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
};

/**
 * Typed access to an API server. Objects are plain JSON, as the server sent them; nothing is converted to classes
 * or dates. Every failure is an `ApiError`.
 *
 * A create, update, patch or apply returns the object as stored; its argument is never changed. The result has a
 * name, a uid and a resourceVersion, or the call fails with `InvalidResponse`. Where nothing is stored (a dry run of a
 * create, a subresource of another kind, a {@link ResourceRef} with `stored: false`), the ones that the server leaves out
 * are empty.
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
  /** Replaces the object. Fails with a conflict when `metadata.resourceVersion` is set and is not the current one. */
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
  /** Server-side apply. `object` holds exactly the fields that the field manager owns. */
  apply<T extends KubeObject>(
    ref: Ref<T>,
    object: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>>;
  /** Returns the object while finalizers or a grace period keep it, else the server's Status. */
  delete<T extends KubeObject>(
    ref: Ref<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<Stored<T> | Status>;
  deleteAll(ref: Ref, list: ListOptions, options?: DeleteOptions): Promise<void>;
  /** What a container of a pod has written, from the beginning. Rejects with the kubelet's reason where there is no log. */
  podLog(key: ObjectKey, options?: PodLogOptions): Promise<string>;
  /**
   * The changes in the server's order. Ends when the server ends it. Rejects when the connection is lost, or when the
   * server rejects the watch (410 `Expired` included); an error within the stream is an `ERROR` event.
   */
  watch<T extends KubeObject>(ref: Ref<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
};
