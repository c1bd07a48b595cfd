import type { Json, JsonObject } from '../../json/json.ts';
import type { OpenApiSchema } from '../schema-node.ts';

/**
 * A structural schema with the TypeScript types of its values: `T` is what readers get, `I` what writers may send.
 * Both are carried by the type alone.
 */
export type SchemaType<T, I = T> = {
  readonly schema: OpenApiSchema;
  /** Never set: holds `T` for {@link Infer}. */
  readonly valueType?: T;
  /** Never set: holds `I` for {@link Input}. */
  readonly inputType?: I;
};

/** A schema with a default: readers always find the field, writers may leave it out. */
export type Defaulted = { readonly schema: { readonly default: Json } };

/** The TypeScript type of the values that readers get: fields with a default are always there. */
export type Infer<S> = S extends SchemaType<infer T, unknown> ? T : never;

/** The TypeScript type of the values that writers may send: fields with a default may be left out. */
export type Input<S> = S extends SchemaType<unknown, infer I> ? I : never;

/** A field that may be absent. */
export type OptionalField<T, I = T> = { readonly optional: SchemaType<T, I> };

/** Fields of an object: a {@link SchemaType} is required, an {@link OptionalField} may be absent. */
export type Fields = { readonly [name: string]: SchemaType<unknown> | OptionalField<unknown> };

type OptionalNames<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalField<unknown> ? K : never;
}[keyof F];

type OmittableNames<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalField<unknown> | Defaulted ? K : never;
}[keyof F];

/** The object type of {@link Fields}; read-only as everything that comes from a cluster. */
export type ObjectOf<F extends Fields> = Simplify<
  { readonly [K in Exclude<keyof F, OptionalNames<F>>]: Infer<F[K]> } & {
    readonly [K in OptionalNames<F>]?: F[K] extends OptionalField<infer T, unknown> ? T : never;
  }
>;

/** {@link ObjectOf} for writers: fields with a default may be absent too. */
export type InputOf<F extends Fields> = Simplify<
  { readonly [K in Exclude<keyof F, OmittableNames<F>>]: Input<F[K]> } & {
    readonly [K in OmittableNames<F>]?: F[K] extends OptionalField<unknown, infer I> ? I : Input<F[K]>;
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
