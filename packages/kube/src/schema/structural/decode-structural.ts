import { type Json, type JsonObject, isJsonArray, isJsonObject, setOwn } from '../../json/json.ts';
import { KubeError } from '../../kube-error.ts';
import { loadCatalogue } from '../catalogue.ts';
import { type Decoded, decodeBuiltIn } from '../decode/decode-built-in.ts';
import type { SchemaNode } from '../schema-node.ts';
import { fieldErrors } from '../field-errors.ts';
import { formatFieldError } from '../format-field-error.ts';
import { defaultStructural } from './default-structural.ts';
import { pruneStructural } from './prune-structural.ts';
import { isEmbedded, itemsOf, mentions, propertyOf } from './property-of.ts';

/**
 * What an API server makes of a custom resource that comes in: `metadata` read as Go's ObjectMeta reads it (of embedded
 * resources too), unknown fields pruned, defaults filled in. The counterpart of `decodeBuiltIn`.
 */
export function decodeStructural(node: SchemaNode, object: JsonObject): Decoded {
  const metadata = decodeMetadata(object);
  if (metadata.errors.length > 0) return { object, unknownFields: [], errors: metadata.errors };
  const pruned = pruneStructural(node, withMetadata(object, metadata));
  const unknown: string[] = [];
  try {
    const coerced = mentions(node, 'x-kubernetes-embedded-resource')
      ? coerceEmbedded(node, pruned.value, '', unknown)
      : pruned.value;
    return {
      object: withDefaults(node, coerced),
      unknownFields: [...metadata.unknownFields, ...pruned.unknownFields, ...unknown.sort()],
      errors: [],
    };
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 'InvalidObject')) throw error;
    return { object, unknownFields: [], errors: [{ message: error.message }] };
  }
}

/** The root's metadata gets no defaults, whatever the schema has for it. */
function withDefaults(node: SchemaNode, object: Json): Json {
  if (!isJsonObject(object) || !Object.hasOwn(object, 'metadata')) return defaultStructural(node, object);
  const { metadata, ...rest } = object;
  const filled = defaultStructural(node, rest);
  return isJsonObject(filled) ? { ...filled, metadata: metadata as Json } : filled;
}

/** `metadata` of a whole object, with paths from the object's root. */
function decodeMetadata(object: JsonObject): Decoded {
  const meta = loadCatalogue().definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  const value = Object.hasOwn(object, 'metadata') ? object['metadata'] : undefined;
  if (meta === undefined || value === undefined || value === null) {
    return { object: {}, unknownFields: [], errors: [] };
  }
  const decoded = decodeBuiltIn(meta, value);
  return { ...decoded, unknownFields: decoded.unknownFields.map((path) => `metadata.${path}`) };
}

function withMetadata(object: JsonObject, metadata: Decoded): JsonObject {
  return Object.hasOwn(object, 'metadata') ? { ...object, metadata: metadata.object } : object;
}

function coerceEmbedded(node: SchemaNode | undefined, value: Json, path: string, unknown: string[]): Json {
  if (node === undefined) return value;
  if (isJsonArray(value)) {
    const items = itemsOf(node);
    return value.map((item, index) => coerceEmbedded(items, item, `${path}[${index}]`, unknown));
  }
  if (!isJsonObject(value)) return value;
  const coerced = isEmbedded(node) ? coerceResource(value, path, unknown) : value;
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(coerced)) {
    setOwn(
      result,
      key,
      coerceEmbedded(propertyOf(node, key), item, path === '' ? key : `${path}.${key}`, unknown),
    );
  }
  return result;
}

function coerceResource(value: JsonObject, path: string, unknown: string[]): JsonObject {
  for (const key of ['apiVersion', 'kind']) {
    const item = Object.hasOwn(value, key) ? value[key] : '';
    if (typeof item === 'string' || item === undefined) continue;
    throw new KubeError(
      'InvalidObject',
      formatFieldError(fieldErrors.invalid(`${path}.${key}`, item, 'must be a string')),
    );
  }
  const metadata = decodeMetadata(value);
  const [error] = metadata.errors;
  if (error !== undefined) {
    const invalid = fieldErrors.invalid(`${path}.metadata`, value['metadata'] ?? null, error.message);
    throw new KubeError('InvalidObject', formatFieldError(invalid));
  }
  unknown.push(...metadata.unknownFields.map((field) => `${path}.${field}`));
  return withMetadata(value, metadata);
}
