import type { Json, JsonObject } from '../json/json.ts';

/** An OpenAPI v3 schema as CRDs and `/openapi/v3` carry it. */
export type OpenApiSchema = JsonObject;

/** How a scalar is written; decides its canonical form and its decoding errors. */
export type ScalarKind =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'int-or-string'
  | 'quantity'
  | 'time'
  | 'micro-time'
  | 'duration'
  | 'bytes';

/**
 * A schema ready for use: references resolved (lazily, schemas recurse), merge keys read.
 * The vocabulary is structured-merge-diff's: a list or map is `atomic` (one leaf) or separable.
 */
export type SchemaNode = ScalarNode | StructNode | MapNode | ListNode | AnyNode;

type Common = {
  readonly nullable: boolean;
  /** The schema's `default`, not yet applied. */
  readonly default?: Json;
  /** The schema this node was compiled from, with `$ref`s not expanded. */
  readonly source: OpenApiSchema;
  /** For strategic merge patch: `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key`. */
  readonly patch?: { readonly mergeKey?: string; readonly strategies: readonly string[] };
};

export type ScalarNode = Common & { readonly kind: 'scalar'; readonly scalar: ScalarKind };

/** An object with named fields, perhaps more of one type beside them. */
export type StructNode = Common & {
  readonly kind: 'struct';
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** Schema of unnamed fields where there are both `additionalProperties` and `properties`. */
  readonly values?: SchemaNode;
  /** `x-kubernetes-preserve-unknown-fields`. */
  readonly preserveUnknown: boolean;
  /** It or a schema around it preserves unknown fields: server-side apply merges them, whatever pruning does later. */
  readonly mergesUnknown: boolean;
  /** `x-kubernetes-embedded-resource`. */
  readonly embeddedResource: boolean;
  /** Built-in types only: the Go type as its decoding errors print it, `v1.PodSpec`. */
  readonly goType?: string;
};

export type Field = {
  readonly name: string;
  readonly node: SchemaNode;
  readonly required: boolean;
  /**
   * Built-in types only: what the Go type does with the zero value.
   * `dropped` (omitempty on a value, slice or map), `written` (no omitempty: always present), `kept` (a pointer),
   * `null` (a pointer without omitempty: an absent one is written as null).
   */
  readonly zero: 'dropped' | 'written' | 'kept' | 'null';
  /** Built-in types only: the Go type where the schema lacks it (`v1.ServiceType`). */
  readonly goType?: string;
  /** Built-in types only: embedded Go structs that the field came from, as decoding errors print them. */
  readonly goEmbedded?: string;
};

/** An object whose keys are data: `additionalProperties`. */
export type MapNode = Common & {
  readonly kind: 'map';
  readonly atomic: boolean;
  readonly values: SchemaNode;
};

export type ListNode = Common & {
  readonly kind: 'list';
  readonly listType: 'atomic' | 'set' | 'map';
  /** Of `listType` `map`, in the schema's order; empty otherwise. */
  readonly keys: readonly string[];
  readonly items: SchemaNode;
};

/**
 * No type is declared: anything goes; merged as a separable map, lists atomic (structured-merge-diff's deduced type).
 * With `atomic` (RawExtension) the whole value is one leaf.
 */
export type AnyNode = Common & { readonly kind: 'any'; readonly atomic?: boolean };
