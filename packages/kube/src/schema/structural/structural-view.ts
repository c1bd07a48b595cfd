import type { SchemaNode } from '../schema-node.ts';

/** The schema of the value under `key`: a named property, or what `additionalProperties` say. */
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
