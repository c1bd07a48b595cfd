import type { Json, JsonObject } from '../json/json.ts';

/** `metadata.ownerReferences[]`. */
export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

/** `metadata.managedFields[]` as it is on the wire. */
export type ManagedFieldsEntry = {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
};

/** `metadata` of every object. Times are RFC 3339 strings, never `Date`. */
export type ObjectMeta = {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly selfLink?: string;
};

/** `metadata` of the kinds whose objects live in a namespace. */
export type NamespacedMeta = ObjectMeta & { readonly namespace: string };

/** What a server gives every object that it stores. */
export type StoredMeta = {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
};

/** Any Kubernetes object: plain JSON, read-only. Change one by building a new one. */
export type KubeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: Json | ObjectMeta;
};

/**
 * An object as a server holds it: what get, list, watch and caches give. It has a `name`, a `uid` and a
 * `resourceVersion`; a `namespace` too where `T` is of a namespaced kind.
 */
export type Stored<T extends KubeObject = KubeObject> = T & { readonly metadata: StoredMeta };

/** An object with a name, stored or not yet. */
export type Named<T extends KubeObject = KubeObject> = T & { readonly metadata: { readonly name: string } };

/** An object inside another, from which a controller makes real ones: it names no namespace. */
export type TemplateOf<T extends KubeObject> = Omit<T, 'metadata'> & { readonly metadata: ObjectMeta };

/** Whether the objects of a kind live in a namespace. */
export type Scope = 'Namespaced' | 'Cluster';

/** A custom resource with the fields `F`, usually `spec` and `status`. */
export type CustomObject<F, S extends Scope = 'Namespaced'> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: S extends 'Namespaced' ? NamespacedMeta : ObjectMeta;
} & F;

/** Group, version and kind. The core group is the empty string. */
export type GroupVersionKind = { readonly group: string; readonly version: string; readonly kind: string };

/** Group, version and plural resource name. */
export type GroupVersionResource = {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
};

/**
 * A complete reference to an API resource: calls with it need no discovery. `T` is the type of its objects, for the compiler
 * only.
 *
 * @example `const widgets: ResourceRef<Widget> = { group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true };`
 */
export type ResourceRef<T extends KubeObject = KubeObject> = {
  readonly group: string;
  readonly version: string;
  /** Plural: `deployments`. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /**
   * `false` for what a server computes and does not store: reviews, `metrics.k8s.io`. Such objects come with an empty
   * `uid` and `resourceVersion`, reviews with an empty `name`. They cannot be watched.
   */
  readonly stored?: false;
  /** Never set: carries `T`. */
  readonly object?: T;
};

/** One cause of a {@link Status}. */
export type StatusCause = { readonly reason?: string; readonly message?: string; readonly field?: string };

/** `v1 Status`: an API server's response to a request that it rejects. */
export type Status = {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: JsonObject;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
  readonly code: number;
};
