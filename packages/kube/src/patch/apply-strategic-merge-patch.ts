import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, setOwn } from '../json/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import {
  applyMapDirective,
  applyRetainKeys,
  DELETE_FROM_PRIMITIVE_LIST,
  directedField,
  PATCH,
  RETAIN_KEYS,
  SET_ELEMENT_ORDER,
  storedValue,
} from './directed-field.ts';
import { mergeOrderedList } from './merge-ordered-list.ts';
import { deleteScalars, listRule, mergeLists } from './merge-lists.ts';

/**
 * Applies a strategic merge patch (`k8s.io/apimachinery/pkg/util/strategicpatch`): as a JSON merge patch, but lists
 * whose schema says so merge by key, steered by `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/x` and
 * `$setElementOrder/x`. `node` is the schema of the document. Nothing given is changed.
 *
 * Throws {@link KubeError} `MalformedPatch`, `InvalidPatch` or `UnmergeablePatch`, worded as an API server words it.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: JsonObject,
  node: SchemaNode,
): JsonObject {
  return mergeObjects(document, patch, node);
}

function mergeObjects(original: JsonObject, patch: JsonObject, node: SchemaNode | undefined): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return applyMapDirective(patch);
  const draft: Record<string, Json> = { ...applyRetainKeys(original, patch) };
  const done = mergeOrderedLists(draft, patch, node);
  for (const [key, value] of Object.entries(patch)) {
    if (!done.has(key)) mergeField(draft, key, value, node);
  }
  return draft;
}

/** Handles `$setElementOrder/x` together with `x`. Returns the keys of the patch that are dealt with. */
function mergeOrderedLists(
  draft: Record<string, Json>,
  patch: JsonObject,
  node: SchemaNode | undefined,
): Set<string> {
  const done = new Set([RETAIN_KEYS]);
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(SET_ELEMENT_ORDER)) continue;
    const field = directedField(key, SET_ELEMENT_ORDER);
    const rule = listRule(childNode(node, field));
    const lists = { original: getOwn(draft, field), patch: getOwn(patch, field), order, rule };
    const merged = mergeOrderedList(lists, mergeObjects);
    done.add(key);
    if (!merged) continue;
    setOwn(draft, field, merged);
    done.add(field);
  }
  return done;
}

function mergeField(
  draft: Record<string, Json>,
  key: string,
  value: Json,
  node: SchemaNode | undefined,
): void {
  const deletes = key.startsWith(DELETE_FROM_PRIMITIVE_LIST);
  const field = deletes ? directedField(key, DELETE_FROM_PRIMITIVE_LIST) : key;
  const current = getOwn(draft, field);
  if (deletes) {
    if (value === null) delete draft[field];
    else if (isJsonArray(current) && isJsonArray(value)) setOwn(draft, field, deleteScalars(current, value));
    return;
  }
  const merged = value === null ? undefined : mergeValue(current, value, childNode(node, field));
  if (merged === undefined) delete draft[field];
  else setOwn(draft, field, merged);
}

function mergeValue(current: Json | undefined, patch: Json, node: SchemaNode | undefined): Json | undefined {
  if (isJsonObject(current) && isJsonObject(patch)) return mergeObjects(current, patch, node);
  if (isJsonArray(current) && isJsonArray(patch))
    return mergeLists(current, patch, listRule(node), mergeObjects);
  return storedValue(patch);
}

function childNode(node: SchemaNode | undefined, field: string): SchemaNode | undefined {
  if (node?.kind === 'struct') return node.fields.get(field)?.node ?? node.values;
  return node?.kind === 'map' ? node.values : undefined;
}
