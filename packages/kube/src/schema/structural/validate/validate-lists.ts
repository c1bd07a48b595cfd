import { canonicalJson } from '../../../json/stringify-json.ts';
import { type Json, type JsonArray, getOwn, isJsonArray, isJsonObject } from '../../../json/json.ts';
import type { FieldError } from '../../field-error.ts';
import { fieldErrors } from '../../field-errors.ts';
import type { ListNode, SchemaNode } from '../../schema-node.ts';
import { propertyOf } from '../property-of.ts';

/** Rejects duplicate items of lists of type `set` and `map`. The error names the second one. */
export function validateLists(node: SchemaNode, value: Json, path: string): readonly FieldError[] {
  if (isJsonArray(value)) return node.kind === 'list' ? validateItems(node, value, path) : [];
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const property = propertyOf(node, key);
    if (property === undefined) return [];
    return validateLists(property, item, childPath(node, key, path));
  });
}

/** A named field is reached by a dot, a key of a map by brackets. */
export function childPath(node: SchemaNode, key: string, path: string): string {
  if (node.kind === 'map') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

function validateItems(node: ListNode, value: JsonArray, path: string): readonly FieldError[] {
  const inside = value.flatMap((item, index) => validateLists(node.items, item, `${path}[${index}]`));
  return [...duplicatesOf(node, value, path), ...inside];
}

function duplicatesOf(node: ListNode, value: JsonArray, path: string): readonly FieldError[] {
  if (node.listType === 'set') return repeated(value, path);
  if (node.listType !== 'map') return [];
  const odd = value.findIndex((item) => item !== null && !isJsonObject(item));
  if (odd >= 0) {
    const why = 'must be an object for an array of list-type map';
    return [fieldErrors.invalid(`${path}[${odd}]`, value[odd] as Json, why)];
  }
  return repeated(
    value.map((item) => keysOf(node, item)),
    path,
  );
}

function keysOf(node: ListNode, item: Json): Json {
  if (!isJsonObject(item)) return {};
  const keys: [string, Json][] = [];
  for (const key of node.keys) {
    const value = getOwn(item, key);
    if (value !== undefined) keys.push([key, value]);
  }
  return Object.fromEntries(keys);
}

/** Each duplicate value is reported once. */
function repeated(values: readonly Json[], path: string): readonly FieldError[] {
  const seen = new Map<string, number>();
  return values.flatMap((value, index) => {
    const text = canonicalJson(value);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    return times === 1 ? [fieldErrors.duplicate(`${path}[${index}]`, value)] : [];
  });
}
