import { getOwn, isJsonArray, isJsonObject, type Json, type JsonArray } from '../json/json.ts';
import { formatGoValue } from '../object/format-go-value.ts';
import { PATCH, SET_ELEMENT_ORDER, storedValue } from './directed-field.ts';
import { expectedType, noMergeKey, unmergeable } from './malformed-directive.ts';
import { holdsObjects, type ListRule, type MergeObjects, mergeLists } from './merge-lists.ts';
import { identityOf, orderItems } from './order-items.ts';

/** A list, its patch (either may be absent) and the value of `$setElementOrder` for it. */
export type OrderedList = {
  readonly original: Json | undefined;
  readonly patch: Json | undefined;
  readonly order: Json;
  readonly rule: ListRule;
};

/** The merged list in the order of `$setElementOrder`; undefined if there is neither a list nor a patch of it. */
export function mergeOrderedList(list: OrderedList, merge: MergeObjects): JsonArray | undefined {
  const order = asList(list.order);
  const original = list.original === undefined ? undefined : asList(list.original);
  const patch = list.patch === undefined ? undefined : asList(list.patch);
  const { rule } = list;
  validateOrder(patch ?? [], order, rule.mergeKey);
  const merged = mergeEither(original, patch, rule, merge);
  if (!merged) return undefined;
  holdsObjects(original ?? [], patch ?? []);
  return orderItems(merged, order, original ?? [], rule.mergeKey);
}

function mergeEither(
  original: JsonArray | undefined,
  patch: JsonArray | undefined,
  rule: ListRule,
  merge: MergeObjects,
): JsonArray | undefined {
  if (!patch) return original;
  return original ? mergeLists(original, patch, rule, merge) : asList(storedValue(patch) ?? []);
}

/** What the patch adds or changes must be in the order, and in that order. */
function validateOrder(patch: JsonArray, order: JsonArray, mergeKey: string): void {
  if (order.length === 0) return;
  const items = patch.filter((item) => directiveOf(item) !== 'delete');
  let at = 0;
  for (let step = 0; at < items.length && step < order.length; ) {
    const item = items[at] ?? null;
    // Other directives need not be listed, as long as something listed comes after them. It is so in Go.
    if (directiveOf(item) !== undefined) at++;
    else if (keyed(item, mergeKey) === keyed(order[step++] ?? null, mergeKey)) at++;
  }
  if (at === items.length) return;
  throw unmergeable(
    `The order in patch list:\n${formatGoValue(patch)}\n doesn't match ${SET_ELEMENT_ORDER} list:\n${formatGoValue(order)}\n`,
  );
}

function directiveOf(item: Json): Json | undefined {
  return isJsonObject(item) ? getOwn(item, PATCH) : undefined;
}

function keyed(item: Json, mergeKey: string): string {
  if (mergeKey === '') return identityOf(item, '');
  if (!isJsonObject(item)) throw expectedType('map[string]interface {}', item);
  if (getOwn(item, mergeKey) === undefined) throw noMergeKey(item, mergeKey);
  return identityOf(item, mergeKey);
}

function asList(value: Json): JsonArray {
  if (!isJsonArray(value)) throw expectedType('[]interface {}', value);
  return value;
}
