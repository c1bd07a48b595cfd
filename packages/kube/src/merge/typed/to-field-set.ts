import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts';
import { FieldSet } from '../../fields/field-set.ts';
import { FieldSetBuilder } from '../../fields/field-set-builder.ts';
import type { ListNode, SchemaNode } from '../../schema/schema-node.ts';
import { groupItems, itemElementOrNone } from './item-element.ts';
import { asList, asObject, fieldNodeOrAny, isEmptyObject, shapeOf } from './shape.ts';

/** The result of a walk at one path: whether it is a member itself, and the set below it. */
type Found = { readonly self: boolean; readonly below: FieldSet };

const LEAF: Found = { self: true, below: FieldSet.EMPTY };
const NOTHING: Found = { self: false, below: FieldSet.EMPTY };

/**
 * Every leaf and every list item of a value: the fields that an applier of it owns. Validate a value first: items
 * without a key have no path. Source: structured-merge-diff's `TypedValue.ToFieldSet`.
 */
export function toFieldSet(node: SchemaNode, value: Json): FieldSet {
  return find(node, value).below;
}

function find(node: SchemaNode, value: Json): Found {
  switch (shapeOf(node, value)) {
    case 'leaf':
      return LEAF;
    case 'list':
      return findItems(node as ListNode, asList(value));
    case 'object':
      return findFields(node, asObject(value));
  }
}

function findItems(list: ListNode, items: readonly Json[] | undefined): Found {
  if (items === undefined) return NOTHING;
  const builder = new FieldSetBuilder();
  for (const [element, group] of groupItems(list, items, itemElementOrNone)) {
    builder.insert(element);
    const [only] = group;
    // Duplicates are members as a whole: a path below them would be ambiguous.
    if (group.length === 1 && only !== undefined) builder.graft(element, find(list.items, only).below);
  }
  return { self: false, below: builder.build() };
}

function findFields(node: SchemaNode, object: JsonObject | undefined): Found {
  if (object === undefined) return NOTHING;
  const builder = new FieldSetBuilder();
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    const field = fieldNodeOrAny(node, name);
    const found = find(field.node, value);
    const isEmpty = value === null || (isJsonObject(value) && isEmptyObject(value));
    if (found.self || isEmpty || !field.named) builder.insert(`f:${name}`);
    builder.graft(`f:${name}`, found.below);
  }
  return { self: false, below: builder.build() };
}
