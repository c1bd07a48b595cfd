import {
  type Json,
  type JsonObject,
  isJsonArray,
  isJsonObject,
  mapMembers,
  setOwn,
} from '../../json/json.ts';
import type { SchemaNode } from '../schema-node.ts';
import { itemsOf, propertyOf } from './property-of.ts';

/**
 * Fills in the defaults of a structural schema. A null where null is not allowed gives way to the default, or goes if
 * there is none: unless `keepNulls`, which leaves it for validation to refuse, as an apply does. Defaults stand inside
 * objects that are there; they do not make the objects around them.
 */
export function defaultStructural(node: SchemaNode, value: Json, keepNulls = false): Json {
  if (isJsonArray(value)) return defaultItems(node, value, keepNulls);
  return isJsonObject(value) ? defaultFields(node, value, keepNulls) : value;
}

function defaultFields(node: SchemaNode, value: JsonObject, keepNulls: boolean): JsonObject {
  const filled = mapMembers(value, (key, item) => {
    const property = propertyOf(node, key);
    return property === undefined ? item : defaultValue(property, item, keepNulls);
  });
  const absent = [...(node.kind === 'struct' ? node.fields.values() : [])].filter(
    ({ name, node: property }) => property.default !== undefined && !Object.hasOwn(value, name),
  );
  if (absent.length === 0) return filled;
  const result: Record<string, Json> = { ...filled };
  for (const { name, node: property } of absent)
    setOwn(result, name, defaultStructural(property, property.default ?? null));
  return result;
}

/** Undefined for a null that must go. */
function defaultValue(node: SchemaNode, value: Json, keepNulls: boolean): Json | undefined {
  if (value !== null || node.nullable) return defaultStructural(node, value, keepNulls);
  if (node.default === undefined) return keepNulls ? null : undefined;
  return defaultStructural(node, node.default);
}

function defaultItems(node: SchemaNode, value: readonly Json[], keepNulls: boolean): Json {
  const items = itemsOf(node);
  if (items === undefined) return value;
  // A null item cannot be dropped: it stays, and validation rejects it.
  const filled = value.map((item) => defaultValue(items, item, keepNulls) ?? item);
  return filled.some((item, index) => item !== value[index]) ? filled : value;
}
