import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
} from '../../json/json.ts';
import type { AnyNode, ListNode, SchemaNode, StructNode } from '../../schema/schema-node.ts';

/**
 * How a value merges: as one leaf, by its items, or by its fields. A node without a type takes the shape of the value;
 * absent and null take the shape of the schema, or of an object where it has none.
 */
export type Shape = 'leaf' | 'list' | 'object';

/** Without a schema objects merge field by field, and lists are leaves. */
const DEDUCED: AnyNode = { kind: 'any', nullable: true, source: {} };

export function shapeOf(node: SchemaNode, value: Json | undefined): Shape {
  switch (node.kind) {
    case 'scalar':
      return 'leaf';
    case 'list':
      return node.listType === 'atomic' ? 'leaf' : 'list';
    case 'any':
      return node.atomic === true || !isUnknownOrObject(value) ? 'leaf' : 'object';
    case 'map':
    case 'struct':
      return node.atomic ? 'leaf' : 'object';
  }
}

function isUnknownOrObject(value: Json | undefined): boolean {
  return value === undefined || value === null || isJsonObject(value);
}

/** The schema of a field of an object; `named` where the schema names it. Undefined where no such field may be. */
export function fieldNode(
  node: SchemaNode,
  name: string,
): { readonly node: SchemaNode; readonly named: boolean } | undefined {
  switch (node.kind) {
    case 'struct': {
      const field = node.fields.get(name);
      if (field !== undefined) return { node: field.node, named: true };
      return unnamed(node.values ?? (isFreeForm(node) ? DEDUCED : undefined));
    }
    case 'map':
      return unnamed(node.values);
    case 'any':
      return unnamed(DEDUCED);
    default:
      return undefined;
  }
}

function unnamed(node: SchemaNode | undefined): { node: SchemaNode; named: boolean } | undefined {
  return node === undefined ? undefined : { node, named: false };
}

function isFreeForm(node: StructNode): boolean {
  return node.mergesUnknown || node.fields.size === 0;
}

/** As {@link fieldNode}, for walks over values that were validated: an undeclared field has no type. */
export function fieldNodeOrAny(
  node: SchemaNode,
  name: string,
): { readonly node: SchemaNode; readonly named: boolean } {
  return fieldNode(node, name) ?? { node: DEDUCED, named: false };
}

export function asObject(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function asList(value: Json | undefined): JsonArray | undefined {
  return isJsonArray(value) ? value : undefined;
}

/** No items, no fields, or null: the two sides of a merge then count as leaves, so that `{}` and null stay apart. */
export function isEmptyContainer(value: Json | undefined): boolean {
  if (isJsonArray(value)) return value.length === 0;
  return isJsonObject(value) ? isEmptyObject(value) : true;
}

export function isEmptyObject(object: JsonObject): boolean {
  for (const name in object) if (Object.hasOwn(object, name)) return false;
  return true;
}

/** The default of a key field of an associative list's items. */
export function keyDefault(list: ListNode, key: string): Json | undefined {
  const field = list.items.kind === 'struct' ? list.items.fields.get(key) : undefined;
  return field?.node.default ?? (field === undefined ? undefined : getOwn(field.node.source, 'default'));
}
