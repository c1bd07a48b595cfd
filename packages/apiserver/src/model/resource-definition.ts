import type { Connection } from './connection.ts';
import type { Conversion } from './conversion.ts';
import type { Json, JsonObject, KubeObject, Stored } from '@kubewright/kube';
import type { Path } from '@kubewright/kube/fields';
import type { SchemaNode } from '@kubewright/kube/schema';
import type { FieldError } from '@kubewright/kube/validation';
import type { GroupResource } from '../api-server-error.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { ServiceRanges } from './service-ranges.ts';

/** The values by which an object is found, maybe none. Pure. */
export type ValuesOf = (object: KubeObject) => readonly string[];

/** What a strategy gets beside the object: the time, random bytes, and a way to read other objects. */
export type StrategyContext = {
  /** Who writes. */
  readonly user: UserInfo;
  readonly services: ServiceRanges;
  readonly now: Date;
  /** Random bytes; injected so that the simulation owns them. */
  readonly random: (size: number) => Uint8Array;
  readonly dryRun: boolean;
  /** The object as the client wrote it: Go distinguishes an empty map from none until it has stored the object. */
  readonly sent?: JsonObject | undefined;
  /** Live objects of a resource. */
  readonly list: (group: string, resource: string) => Iterable<Stored>;
  /** Live objects for which `valuesOf` returns `value`, for allocations such as a Service's cluster IP. */
  readonly withValue: (ref: GroupResource, valuesOf: ValuesOf, value: string) => readonly Stored[];
};

/**
 * What a kind adds to generic REST; the vocabulary of `k8s.io/apiserver/pkg/registry/rest`.
 * Every function is pure: it returns a new object and keeps the one it was given.
 */
export type Strategy = {
  /** Fills what the API's `SetDefaults_*` fill. Runs on every decoded object of this version. */
  readonly default?: (object: KubeObject) => KubeObject;
  /** Clears what a client may not set (status), allocates. `metadata` is the generic code's business. */
  readonly prepareForCreate?: (object: KubeObject, context: StrategyContext) => KubeObject;
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, context: StrategyContext) => KubeObject;
  readonly validateCreate?: (object: KubeObject, context: StrategyContext) => readonly FieldError[];
  readonly validateUpdate?: (
    object: KubeObject,
    old: KubeObject,
    context: StrategyContext,
  ) => readonly FieldError[];
  /**
   * Paths that the prepare functions put back whatever was sent (`status`, or `spec` of a status update):
   * no manager comes to own them by sending them.
   */
  readonly resetFields?: readonly Path[];
  /** Sent as `Warning: 299` headers. */
  readonly warnings?: (object: KubeObject, old?: KubeObject) => readonly string[];
};

/** One column of `kubectl get`. */
export type TableColumn = {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown; greater only with `-o wide`. */
  readonly priority: number;
  readonly value: (object: KubeObject, now: Date) => Json;
};

export type ScaleMapping = {
  readonly specReplicas: (object: KubeObject) => number;
  readonly statusReplicas: (object: KubeObject) => number;
  readonly selector: (object: KubeObject) => string;
  readonly withReplicas: (object: KubeObject, replicas: number) => KubeObject;
};

/** A resource that the API serves in one version. */
export type ResourceDefinition = {
  readonly group: string;
  readonly version: string;
  /** Plural, lower case: `deployments`. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly schema: SchemaNode;
  /**
   * Custom resources: their author's schema, which prunes and defaults them. `schema`, by which they are merged and
   * published, has the metadata of every object in it.
   */
  readonly structural?: SchemaNode;
  /** False for custom resources: no strategic merge patch, pruning instead of decoding. */
  readonly builtIn: boolean;
  readonly strategy: Strategy;
  /**
   * `metadata.generation` counts changes outside metadata and status. False where the kind has no generation.
   * A strategy's `prepareForUpdate` may raise it further itself (a Deployment's annotations count too).
   */
  readonly hasGeneration: boolean;
  readonly status?: Strategy;
  readonly scale?: ScaleMapping;
  /** Further subresources that take the whole object by PUT and PATCH, by name: a Namespace's `finalize`. */
  readonly subresources?: Readonly<Record<string, Strategy>>;
  /** PUT of an object that does not exist creates it (`AllowCreateOnUpdate`): Services, Leases, Events. */
  readonly createOnUpdate?: boolean;
  /** PUT without resourceVersion is accepted (`AllowUnconditionalUpdate`). Default: built-in kinds only. */
  readonly unconditionalUpdate?: boolean;
  /** DELETE returns the object as it was (`ReturnDeletedObject`), not a Status: Pods, Services. */
  readonly returnsDeleted?: boolean;
  /**
   * Kinds with graceful deletion (Pods): seconds between DELETE and removal, given what the client requested.
   * 0 deletes at once. Absent: every deletion is immediate but for finalizers.
   */
  readonly gracePeriod?: (object: KubeObject, requested: number | undefined) => number;
  /**
   * The default propagation policy, where neither the deletion nor the object's finalizers have one
   * (`DefaultGarbageCollectionPolicy`). `Unsupported`: never a finalizer for the collector. Absent: they are collected.
   */
  readonly defaultPropagation?: 'Orphan' | 'Unsupported';
  /** Objects are not stored and have no other verb: a `CreateHandler` makes the response (TokenReview, Binding). */
  readonly createOnly?: boolean;
  /** Subresources that take a {@link createOnly} kind of their own by POST, by name: a ServiceAccount's `token`. */
  readonly createSubresources?: Readonly<Record<string, ResourceDefinition>>;
  /** Subresources that are proxied, by name: a Pod's `log`, a Node's `proxy`. */
  readonly connections?: Readonly<Record<string, Connection>>;
  readonly columns: readonly TableColumn[];
  /** Field selectors beyond `metadata.name` and `metadata.namespace`. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly storageVersion: string;
  /** The group in which objects are stored, where this one is a second view of them: `events.k8s.io`. Absent: this one. */
  readonly storageGroup?: string;
  /** Of a custom resource: all versions that its definition has, served or not. */
  readonly definedVersions?: readonly string[];
  /** Absent: objects of other versions differ in their `apiVersion` alone. */
  readonly conversion?: Conversion;
  /**
   * Makes an object of another version, its `apiVersion` changed, one of this version: of a custom resource goes what
   * this version's schema does not have. Absent: nothing else changes.
   */
  readonly fromOther?: (object: KubeObject) => KubeObject;
  /** The same on the way into the store, where the storage version is another one with defaults of its own. */
  readonly toStorage?: (object: KubeObject) => KubeObject;
  /** The version is deprecated: the warning of every response. */
  readonly deprecation?: string;
  /**
   * Replaces the marking or removal of an object at the first DELETE: it sets the deletion timestamp
   * itself. A CustomResourceDefinition waits for its instances.
   */
  readonly firstDelete?: (object: KubeObject, now: Date) => KubeObject;
};
