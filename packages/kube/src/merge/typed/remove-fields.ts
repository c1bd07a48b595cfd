import { type Json, type JsonObject, isJsonArray, isJsonObject, setOwn } from '../../json/json.ts';
import type { FieldSet } from '../../fields/field-set.ts';
import type { ListNode, SchemaNode } from '../../schema/schema-node.ts';
import { itemElementOrNone } from './item-element.ts';
import { fieldNodeOrAny, shapeOf } from './shape.ts';

/**
 * A value without the fields and items of a set, each with all that lies below it. What is left empty stays, as an
 * empty object or list; so does an atomic one of which a part was to go. Returns the value itself where nothing went.
 * Source: structured-merge-diff's `TypedValue.RemoveItems`.
 */
export function removeFields(node: SchemaNode, value: Json, set: FieldSet): Json {
  if (set.isEmpty) return value;
  if (isJsonObject(value)) return shapeOf(node, value) === 'leaf' ? {} : removeFromObject(node, value, set);
  if (isJsonArray(value))
    return shapeOf(node, value) === 'leaf' ? [] : removeFromList(node as ListNode, value, set);
  return value;
}

function removeFromObject(node: SchemaNode, object: JsonObject, set: FieldSet): JsonObject {
  const kept: Record<string, Json> = {};
  let isSame = true;
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    const element = `f:${name}`;
    if (set.members.has(element)) {
      isSame = false;
      continue;
    }
    const below = set.children.get(element);
    const next = below === undefined ? value : removeFields(fieldNodeOrAny(node, name).node, value, below);
    isSame &&= next === value;
    setOwn(kept, name, next);
  }
  return isSame ? object : kept;
}

function removeFromList(list: ListNode, items: readonly Json[], set: FieldSet): readonly Json[] {
  const kept: Json[] = [];
  let isSame = true;
  for (const item of items) {
    const element = itemElementOrNone(list, item);
    if (set.members.has(element)) {
      isSame = false;
      continue;
    }
    const below = set.children.get(element);
    const next = below === undefined ? item : removeFields(list.items, item, below);
    isSame &&= next === item;
    kept.push(next);
  }
  return isSame ? items : kept;
}
