import { type Json, type JsonObject, isJsonArray, isJsonObject, setOwn } from '../../json/json.ts';
import { KubeError } from '../../kube-error.ts';
import type { Field, ListNode, MapNode, SchemaNode, StructNode } from '../schema-node.ts';
import {
  type DecodeContext,
  type DecodeError,
  newDecodeContext,
  reportError,
  reportUnknown,
  typeError,
} from './decode-context.ts';
import { decodeScalar, jsonKind } from './decode-scalar.ts';
import { addWritten, isDroppedZero, zeroValue } from './zero-value.ts';

/** What came of {@link decodeBuiltIn}. */
export type Decoded = {
  /** The object as the server keeps it. Meaningless when there are errors. */
  readonly object: Json;
  /** Paths of fields that the type does not have, as strict errors print them, in document order; at most 100. */
  readonly unknownFields: readonly string[];
  /** The error that Go's decoder reports, if any (it reports one). */
  readonly errors: readonly DecodeError[];
};

/**
 * What a round trip through a built-in type's Go struct, and its protobuf form in storage, makes of `value`: unknown
 * fields go, zero values go or come as the type has it, empty lists and maps are absent ones, null is absent, quantities
 * and times take their canonical form. `value` is kept as it is.
 */
export function decodeBuiltIn(node: SchemaNode, value: Json): Decoded {
  const context = newDecodeContext();
  try {
    const object = value === null ? zeroValue(node) : decode(context, node, value, undefined, 0);
    return { object, unknownFields: context.unknownFields, errors: errorsOf(context.error) };
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 'InvalidObject')) throw error;
    return { object: value, unknownFields: context.unknownFields, errors: errorsOf(error.message) };
  }
}

function errorsOf(message: string | undefined): readonly DecodeError[] {
  return message === undefined ? [] : [{ message }];
}

/** Reads a value that is not null: the value of `field`, or so many lists and maps `depth` in it. */
function decode(
  context: DecodeContext,
  node: SchemaNode,
  value: Json,
  field: Field | undefined,
  depth: number,
): Json {
  switch (node.kind) {
    case 'struct':
      if (isJsonObject(value)) return decodeStruct(context, node, value);
      break;
    case 'map':
      if (isJsonObject(value)) return decodeMap(context, node, value, field, depth + 1);
      break;
    case 'list':
      if (isJsonArray(value)) return decodeList(context, node, value, field, depth + 1);
      break;
    case 'any':
      return value;
    default:
      // Most values are texts where texts are expected.
      if (typeof value === 'string' && node.scalar === 'string') return value;
      return decodeScalar(context, node, value, { field, node, depth });
  }
  reportError(context, typeError(context, jsonKind(value), { field, node, depth }));
  return zeroValue(node);
}

function decodeStruct(context: DecodeContext, node: StructNode, value: JsonObject): JsonObject {
  const { fields } = node;
  const result: Record<string, Json> = {};
  const outer = context.struct;
  for (const key of Object.keys(value)) {
    const field = fields.get(key);
    if (field === undefined) {
      reportUnknown(context, key);
      continue;
    }
    const item = value[key] as Json;
    if (item === null) continue;
    context.struct = node;
    if (field.goEmbedded !== undefined) context.fields.push(field.goEmbedded);
    context.fields.push(key);
    context.path.push(context.path.length === 0 ? key : `.${key}`);
    const decoded = decode(context, field.node, item, field, 0);
    context.path.pop();
    context.fields.pop();
    if (field.goEmbedded !== undefined) context.fields.pop();
    keepField(result, field, decoded);
  }
  context.struct = outer;
  addWritten(node, result);
  return result;
}

function keepField(result: Record<string, Json>, field: Field, value: Json): void {
  if (field.zero === 'dropped' && isDroppedZero(value)) return;
  if (isEmptyCollection(field.node, value)) return;
  setOwn(result, field.name, value);
}

/** Protobuf has no difference between an empty list or map and an absent one. */
function isEmptyCollection(node: SchemaNode, value: Json): boolean {
  if (node.kind === 'list') return isJsonArray(value) && value.length === 0;
  return node.kind === 'map' && isJsonObject(value) && Object.keys(value).length === 0;
}

function decodeMap(
  context: DecodeContext,
  node: MapNode,
  value: JsonObject,
  field: Field | undefined,
  depth: number,
): JsonObject {
  const result: Record<string, Json> = {};
  const { values } = node;
  for (const [key, item] of Object.entries(value)) {
    context.path.push(`.${key}`);
    setOwn(result, key, item === null ? zeroValue(values) : decode(context, values, item, field, depth));
    context.path.pop();
  }
  return result;
}

function decodeList(
  context: DecodeContext,
  node: ListNode,
  value: readonly Json[],
  field: Field | undefined,
  depth: number,
): Json {
  const { items } = node;
  return value.map((item, index) => {
    context.path.push(`[${index}]`);
    const decoded = item === null ? zeroValue(items) : decode(context, items, item, field, depth);
    context.path.pop();
    return decoded;
  });
}
