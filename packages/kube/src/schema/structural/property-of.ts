import { type Json, isJsonArray, isJsonObject } from '../../json/json.ts';
import type { OpenApiSchema, SchemaNode } from '../schema-node.ts';

/** The schema of the value under `key`: a named property, or `additionalProperties`. */
export function propertyOf(node: SchemaNode | undefined, key: string): SchemaNode | undefined {
  if (node?.kind === 'map') return node.values;
  return node?.kind === 'struct' ? (node.fields.get(key)?.node ?? node.values) : undefined;
}

/** The schema of a list's items. */
export function itemsOf(node: SchemaNode | undefined): SchemaNode | undefined {
  return node?.kind === 'list' ? node.items : undefined;
}

/** `x-kubernetes-preserve-unknown-fields: true`. */
export function preservesUnknown(node: SchemaNode): boolean {
  return node.source['x-kubernetes-preserve-unknown-fields'] === true;
}

/** `x-kubernetes-embedded-resource: true`. */
export function isEmbedded(node: SchemaNode): boolean {
  return node.kind === 'struct' && node.embeddedResource;
}

const KEYS = ['x-kubernetes-embedded-resource', 'x-kubernetes-list-type'] as const;
type Key = (typeof KEYS)[number];
const mentioned = new WeakMap<OpenApiSchema, ReadonlySet<Key>>();

/** Whether a schema has the keyword `key` anywhere; if not, its values need no walk. */
export function mentions(node: SchemaNode, key: Key): boolean {
  let keys = mentioned.get(node.source);
  if (keys === undefined) {
    const found = new Set<Key>();
    collectKeys(node.source, found);
    mentioned.set(node.source, (keys = found));
  }
  return keys.has(key);
}

function collectKeys(schema: Json, found: Set<Key>): void {
  if (isJsonArray(schema)) {
    for (const item of schema) collectKeys(item, found);
  } else if (isJsonObject(schema)) {
    for (const key of KEYS) if (Object.hasOwn(schema, key)) found.add(key);
    for (const value of Object.values(schema)) collectKeys(value, found);
  }
}
