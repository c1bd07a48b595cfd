import type { Json, JsonObject } from '../../json/value.ts';
import type { OpenApiSchema } from '../schema-node.ts';

/** A structural schema that knows the TypeScript type of its values; `T` is carried by the type alone. */
export type SchemaType<T> = {
  readonly schema: OpenApiSchema;
  /** Never set: holds `T` for {@link Infer}. */
  readonly valueType?: T;
};

/** The TypeScript type of the values that a schema admits. */
export type Infer<S> = S extends SchemaType<infer T> ? T : never;

/** A field that may be absent. */
export type OptionalField<T> = { readonly optional: SchemaType<T> };

/** Fields of an object: a {@link SchemaType} is required, an {@link OptionalField} may be absent. */
export type Fields = { readonly [name: string]: SchemaType<unknown> | OptionalField<unknown> };

type OptionalNames<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalField<unknown> ? K : never;
}[keyof F];

/** The object type of {@link Fields}; read-only as everything that comes from a cluster. */
export type ObjectOf<F extends Fields> = Simplify<
  { readonly [K in Exclude<keyof F, OptionalNames<F>>]: F[K] extends SchemaType<infer T> ? T : never } & {
    readonly [K in OptionalNames<F>]?: F[K] extends OptionalField<infer T> ? T : never;
  }
>;

type Simplify<T> = { [K in keyof T]: T[K] } & {};

/** One rule of `x-kubernetes-validations`. */
export type ValidationRule = {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?:
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
};

/** What every type may carry. */
export type CommonOptions<T = Json> = {
  readonly description?: string;
  readonly default?: T;
  readonly nullable?: boolean;
  readonly validations?: readonly ValidationRule[];
};

/** Renames the options that are Kubernetes extensions and leaves out what is not set. */
export function schemaOf(type: JsonObject, options: object = {}): OpenApiSchema {
  const renamed: Record<string, Json> = { ...type };
  for (const [name, value] of Object.entries(options) as [string, Json | undefined][]) {
    if (value !== undefined) renamed[name === 'validations' ? 'x-kubernetes-validations' : name] = value;
  }
  return renamed;
}
