import type { Field, ScalarNode, SchemaNode, StructNode } from '../schema-node.ts';

/** Why a value does not fit its Go type; `message` is Go's. */
export type DecodeError = { readonly message: string };

/** Limit of unknown fields that an API server reports. */
const MAX_UNKNOWN = 100;

/** Where a decoding is, and what it has met. */
export type DecodeContext = {
  /** Pieces of the path that strict errors print: `spec`, `.containers`, `[0]`. */
  readonly path: string[];
  /** Names of the fields on the way, without indexes and map keys; type errors print them. */
  readonly fields: string[];
  /** The struct whose field is being read. */
  struct: StructNode | undefined;
  /** Paths of unknown fields so far. */
  readonly unknownFields: string[];
  /** Go keeps the first type error only. */
  error: string | undefined;
};

export function newDecodeContext(): DecodeContext {
  return { path: [], fields: [], struct: undefined, unknownFields: [], error: undefined };
}

export function reportUnknown(context: DecodeContext, name: string): void {
  if (context.unknownFields.length >= MAX_UNKNOWN) return;
  context.unknownFields.push(context.path.length === 0 ? name : `${context.path.join('')}.${name}`);
}

export function reportError(context: DecodeContext, message: string): void {
  context.error ??= message;
}

/**
 * The Go type of a value being read: a field's, or of the items so many lists and maps deep in it. A name is put together
 * when an error needs it.
 */
export type GoPlace = {
  readonly field: Field | undefined;
  readonly node: SchemaNode;
  readonly depth: number;
};

function nameOf({ field, node, depth }: GoPlace): string {
  let place = field?.node ?? node;
  let name = goTypeOf(place, field);
  for (let level = 0; level < depth; level++) {
    place = place.kind === 'list' ? place.items : place.kind === 'map' ? place.values : place;
    name = goItemType(place, name);
  }
  return name;
}

/** Go's `UnmarshalTypeError`: `what` is a kind of JSON value, or `number 1.5`. */
export function typeError(context: DecodeContext, what: string, place: GoPlace | string): string {
  const goType = typeof place === 'string' ? place : nameOf(place);
  const name = context.struct?.goType ?? '';
  const target =
    context.struct === undefined
      ? 'Go value'
      : `Go struct field ${name.slice(name.lastIndexOf('.') + 1)}.${context.fields.join('.')}`;
  return `json: cannot unmarshal ${what} into ${target} of type ${goType}`;
}

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'float64',
  boolean: 'bool',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  time: 'v1.Time',
  'micro-time': 'v1.MicroTime',
  'int-or-string': 'intstr.IntOrString',
  duration: 'v1.Duration',
};

/** The Go type of a field's value as errors print it. */
function goTypeOf(node: SchemaNode, field?: Field): string {
  if (field?.goType !== undefined) return field.goType;
  switch (node.kind) {
    case 'struct':
      return node.goType ?? 'map[string]interface {}';
    case 'map':
      return `map[string]${goTypeOf(node.values)}`;
    case 'list':
      return `[]${goTypeOf(node.items)}`;
    case 'any':
      return 'runtime.RawExtension';
    default:
      return goScalarType(node);
  }
}

function goScalarType(node: ScalarNode): string {
  if (node.scalar === 'integer') return node.source['format'] === 'int32' ? 'int32' : 'int64';
  return scalarTypes[node.scalar] ?? 'string';
}

/** The Go type of an item of a list or map whose own Go type is `goType`. */
function goItemType(items: SchemaNode, goType: string): string {
  const item = /^(?:\[\]|map\[[^\]]*\])\*?(.+)$/.exec(goType)?.[1];
  return item ?? goTypeOf(items);
}
