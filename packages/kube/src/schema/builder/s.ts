import type { Json, JsonObject } from '../../json/json.ts';
import type { Condition } from '../../object/condition.ts';
import {
  type CommonOptions,
  type Defaulted,
  type Fields,
  type InputOf,
  type ObjectOf,
  type OptionalField,
  type SchemaType,
  schemaOf,
} from './schema-type.ts';

type StringOptions = CommonOptions<string> & {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** RE2, as Kubernetes reads it. */
  readonly pattern?: string;
  readonly format?: string;
};

type NumberOptions = CommonOptions<number> & {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly format?: 'int32' | 'int64' | 'float' | 'double';
};

type ListOptions<T> = CommonOptions<readonly T[]> & {
  readonly minItems?: number;
  readonly maxItems?: number;
};
type ObjectOptions = CommonOptions<JsonObject> & {
  readonly minProperties?: number;
  readonly maxProperties?: number;
};

/** Nullable types admit null. */
type OrNull<T, O> = O extends { readonly nullable: true } ? T | null : T;
type Typed<T, O, I = T> = SchemaType<OrNull<T, O>, OrNull<I, O>> &
  (O extends { readonly default: unknown } ? Defaulted : unknown);

function typed<T, O, I = T>(type: JsonObject, options: O | undefined): Typed<T, O, I> {
  return { schema: schemaOf(type, options ?? {}) } as Typed<T, O, I>;
}

/** Text. */
function string<const O extends StringOptions>(options?: O): Typed<string, O> {
  return typed({ type: 'string' }, options);
}

/** One of the given words. */
function oneOf<const V extends string, const O extends CommonOptions<V>>(
  values: readonly V[],
  options?: O,
): Typed<V, O> {
  return typed({ type: 'string', enum: values }, options);
}

/** A whole number. `format` `int32` or `int64` also bounds it. */
function integer<const O extends NumberOptions>(options?: O): Typed<number, O> {
  return typed({ type: 'integer' }, options);
}

/** A number. */
function number<const O extends NumberOptions>(options?: O): Typed<number, O> {
  return typed({ type: 'number' }, options);
}

function boolean<const O extends CommonOptions<boolean>>(options?: O): Typed<boolean, O> {
  return typed({ type: 'boolean' }, options);
}

/** A port or percentage: `8080`, `"http"`, `"25%"`. */
function intOrString<const O extends CommonOptions<number | string>>(options?: O): Typed<number | string, O> {
  return typed({ 'x-kubernetes-int-or-string': true }, options);
}

/** A resource quantity: `"100m"`, `"1Gi"`, or a plain number. */
function quantity<const O extends CommonOptions<number | string>>(options?: O): Typed<number | string, O> {
  const pattern =
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';
  return typed({ 'x-kubernetes-int-or-string': true, pattern }, options);
}

/** A moment: RFC 3339. */
function time<const O extends CommonOptions<string>>(options?: O): Typed<string, O> {
  return typed({ type: 'string', format: 'date-time' }, options);
}

/** A list that is one value: whoever applies it owns all of it. */
function list<T, I, const O extends ListOptions<I>>(
  items: SchemaType<T, I>,
  options?: O,
): Typed<readonly T[], O, readonly I[]> {
  return typed({ type: 'array', items: items.schema, 'x-kubernetes-list-type': 'atomic' }, options);
}

/** A list without duplicates; each item has its own owner. */
function set<T, I, const O extends ListOptions<I>>(
  items: SchemaType<T, I>,
  options?: O,
): Typed<readonly T[], O, readonly I[]> {
  return typed({ type: 'array', items: items.schema, 'x-kubernetes-list-type': 'set' }, options);
}

/** A list of type `map` with these `keys`; each item may have another field manager. */
function mapList<T, I, const K extends keyof T & string, const O extends ListOptions<I>>(
  items: SchemaType<T, I>,
  keys: readonly [K, ...K[]],
  options?: O,
): Typed<readonly T[], O, readonly I[]> {
  const listType = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
  return typed({ type: 'array', items: items.schema, ...listType }, options);
}

/** Values under keys that are data. */
function record<T, I, const O extends ObjectOptions>(
  values: SchemaType<T, I>,
  options?: O,
): Typed<{ readonly [key: string]: T }, O, { readonly [key: string]: I }> {
  return typed({ type: 'object', additionalProperties: values.schema }, options);
}

/**
 * An object with named fields. A field is required unless it is wrapped in `s.optional` or has a default: that one a
 * writer may leave out, and a reader always finds. Other fields are pruned.
 */
function object<const F extends Fields, const O extends ObjectOptions & { readonly atomic?: boolean }>(
  fields: F,
  options?: O,
): Typed<ObjectOf<F>, O, InputOf<F>> {
  const { atomic = false, ...rest }: ObjectOptions & { readonly atomic?: boolean } = options ?? {};
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => isRequired(field)).map(([name]) => name);
  const properties = entries.map(([name, field]) => [
    name,
    ('schema' in field ? field : field.optional).schema,
  ]);
  const type = {
    type: 'object',
    properties: Object.fromEntries(properties) as JsonObject,
    ...(required.length === 0 ? {} : { required }),
    ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
  return typed(type, rest) as Typed<ObjectOf<F>, O, InputOf<F>>;
}

function isRequired(field: Fields[string]): boolean {
  return 'schema' in field && !Object.hasOwn(field.schema, 'default');
}

/** A field that may be absent. */
function optional<T, I>(field: SchemaType<T, I>): OptionalField<T, I> {
  return { optional: field };
}

/** Any object; nothing in it is pruned. */
function anyObject<const O extends ObjectOptions>(options?: O): Typed<JsonObject, O> {
  return typed({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, options);
}

/** Any JSON value; nothing in it is pruned. */
function any<const O extends CommonOptions>(options?: O): Typed<Json, O> {
  return typed({ 'x-kubernetes-preserve-unknown-fields': true }, options);
}

/** A whole Kubernetes object inside another: `apiVersion`, `kind` and `metadata` are checked. */
function embedded<const O extends ObjectOptions>(options?: O): Typed<JsonObject, O> {
  const extensions = { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
  return typed({ type: 'object', ...extensions }, options);
}

/** A schema written by hand, with the type given for it. */
function raw<T>(schema: JsonObject): SchemaType<T> {
  return { schema };
}

/** `metav1.Condition`, as `status.conditions` hold it: a list of type `map` with the key `type`. */
function conditions({
  description = 'What was observed of the object: one condition of each type.',
}: CommonOptions = {}): SchemaType<readonly Condition[]> {
  const condition = object({
    type: string({ maxLength: 316, description: 'What the condition is about.' }),
    status: oneOf(['True', 'False', 'Unknown'], { description: 'Whether it holds.' }),
    observedGeneration: optional(
      integer({
        format: 'int64',
        minimum: 0,
        description: 'The metadata.generation that the condition is about.',
      }),
    ),
    lastTransitionTime: time({ description: 'When the status changed last.' }),
    reason: string({ minLength: 1, maxLength: 1024, description: 'Why, in one word, for programs.' }),
    message: string({ maxLength: 32768, description: 'Why, in words, for people; may be empty.' }),
  });
  return mapList(condition, ['type'], { description });
}

/**
 * Builds the structural schema of a custom resource and its TypeScript type at once:
 *
 * ```ts
 * const spec = s.object({ size: s.integer({ minimum: 1 }), tags: s.optional(s.set(s.string())) });
 * type Spec = Infer<typeof spec>; // { readonly size: number; readonly tags?: readonly string[] }
 * ```
 */
export const s: {
  readonly string: typeof string;
  readonly oneOf: typeof oneOf;
  readonly integer: typeof integer;
  readonly number: typeof number;
  readonly boolean: typeof boolean;
  readonly intOrString: typeof intOrString;
  readonly quantity: typeof quantity;
  readonly time: typeof time;
  readonly list: typeof list;
  readonly set: typeof set;
  readonly mapList: typeof mapList;
  readonly record: typeof record;
  readonly object: typeof object;
  readonly optional: typeof optional;
  readonly anyObject: typeof anyObject;
  readonly any: typeof any;
  readonly embedded: typeof embedded;
  readonly raw: typeof raw;
  readonly conditions: typeof conditions;
} = {
  string,
  oneOf,
  integer,
  number,
  boolean,
  intOrString,
  quantity,
  time,
  list,
  set,
  mapList,
  record,
  object,
  optional,
  anyObject,
  any,
  embedded,
  raw,
  conditions,
};
