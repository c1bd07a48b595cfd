import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
} from '../json/json.ts';
import { formatGoValue } from '../object/format-go-value.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { PATCH } from './directed-field.ts';
import { goType, listsOfLists, noMergeKey, unknownPatchType, unmergeable } from './malformed-directive.ts';
import { identityOf, orderItems } from './order-items.ts';

/** Merges a patch into an object; handed in, because lists hold objects that hold lists. */
export type MergeObjects = (
  original: JsonObject,
  patch: JsonObject,
  node: SchemaNode | undefined,
) => JsonObject;

/** How a list is patched. Without a strategy `merge` the patch replaces it. */
export type ListRule = { readonly merges: boolean; readonly mergeKey: string; readonly items?: SchemaNode };

/** The rule of a field; what is no list in the schema is replaced. */
export function listRule(node: SchemaNode | undefined): ListRule {
  if (node?.kind !== 'list') return { merges: false, mergeKey: '' };
  const merges = node.patch?.strategies.includes('merge') ?? false;
  return { merges, mergeKey: node.patch?.mergeKey ?? '', items: node.items };
}

/** Merges `patch` into `original`; scalars as a set, objects by merge key. */
export function mergeLists(
  original: JsonArray,
  patch: JsonArray,
  rule: ListRule,
  merge: MergeObjects,
): JsonArray {
  if (!rule.merges) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  if (!holdsObjects(original, patch)) return orderItems(union(original, patch), patch, original, '');
  if (rule.mergeKey === '') throw unmergeable('cannot merge lists without merge key for struct');
  const { kept, merging } = applyItemDirectives(original, patch, rule.mergeKey);
  const merged = mergeItems(kept, merging, rule, merge);
  return orderItems(merged, merging, kept, rule.mergeKey);
}

/** `$deleteFromPrimitiveList`: the original without the scalars listed. */
export function deleteScalars(original: JsonArray, deleted: JsonArray): JsonArray {
  if (original.length + deleted.length === 0) return original;
  holdsObjects(original, deleted);
  const gone = new Set(deleted.map((item) => identityOf(item, '')));
  return original.filter((item) => !gone.has(identityOf(item, '')));
}

/** Whether the items are objects. All must be of one type, and that not a list. */
export function holdsObjects(...lists: readonly JsonArray[]): boolean {
  const [first, ...others] = lists.flat();
  if (first === undefined) throw unmergeable('no elements in any of the given slices');
  if (isJsonArray(first)) throw listsOfLists();
  const type = goType(first);
  if (others.some((item) => goType(item) !== type)) {
    throw unmergeable(`list element types are not identical: ${formatGoValue(lists)}`);
  }
  return isJsonObject(first);
}

function union(original: JsonArray, patch: JsonArray): JsonArray {
  const byIdentity = new Map<string, Json>();
  for (const item of [...original, ...patch]) {
    const identity = identityOf(item, '');
    if (!byIdentity.has(identity)) byIdentity.set(identity, item);
  }
  return [...byIdentity.values()];
}

type Directed = { readonly kept: JsonArray; readonly merging: readonly JsonObject[] };

/** Takes out what `$patch: delete` names; after `$patch: replace` the rest of the patch is the whole list. */
function applyItemDirectives(original: JsonArray, patch: JsonArray, mergeKey: string): Directed {
  const items = patch.filter(isJsonObject);
  const merging = items.filter((item) => !Object.hasOwn(item, PATCH));
  const directed = items.filter((item) => Object.hasOwn(item, PATCH));
  const gone = new Set<string>();
  for (const item of directed) {
    if (isDeletion(item, mergeKey)) gone.add(identityOf(item, mergeKey));
  }
  if (directed.some((item) => getOwn(item, PATCH) === 'replace')) return { kept: merging, merging: [] };
  return { kept: original.filter((item) => !gone.has(identityOf(item, mergeKey))), merging };
}

function isDeletion(item: JsonObject, mergeKey: string): boolean {
  const directive = getOwn(item, PATCH) ?? null;
  if (directive === 'replace') return false;
  if (directive === 'merge') throw unmergeable('merging lists cannot yet be specified in the patch');
  if (directive !== 'delete') throw unknownPatchType(directive, item);
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return true;
}

function mergeItems(
  original: JsonArray,
  patch: readonly JsonObject[],
  { mergeKey, items }: ListRule,
  merge: MergeObjects,
): JsonArray {
  const result = [...original];
  const places = new Map<string, number>();
  result.forEach((item, index) => {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  });
  for (const item of patch) {
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
    const identity = identityOf(item, mergeKey);
    const place = places.get(identity) ?? result.length;
    const current = result[place];
    result[place] = isJsonObject(current) ? merge(current, item, items) : item;
    places.set(identity, place);
  }
  return result;
}
