import { canonicalJson } from '../json/stringify-json.ts';
import { getOwn, isJsonObject, type Json, type JsonArray } from '../json/json.ts';
import { expectedType, noMergeKey } from './malformed-directive.ts';

/** Tells items of a merging list apart: by the value of the merge key, or scalars by themselves (no merge key). */
export function identityOf(item: Json, mergeKey: string): string {
  const value = mergeKey !== '' && isJsonObject(item) ? getOwn(item, mergeKey) : item;
  return value === undefined ? '' : canonicalJson(value);
}

/**
 * Orders a merged list: items of `order` as it has them, the others as the server had them, both interleaved by the
 * server's order with best effort. An item new to the server so comes before the server's own.
 */
export function orderItems(
  items: JsonArray,
  order: JsonArray,
  server: JsonArray,
  mergeKey: string,
): JsonArray {
  if (mergeKey !== '') [items, order, server].forEach((list) => requireMergeKey(list, mergeKey));
  const wanted = positions(order, mergeKey);
  const live = positions(server, mergeKey);
  const ordered = items.filter((item) => wanted.has(identityOf(item, mergeKey)));
  const serverOnly = items.filter((item) => !wanted.has(identityOf(item, mergeKey)));
  return interleave(
    sortByPosition(serverOnly, live, mergeKey),
    sortByPosition(ordered, wanted, mergeKey),
    (item) => live.get(identityOf(item, mergeKey)),
  );
}

type Positions = ReadonlyMap<string, number>;

function positions(list: JsonArray, mergeKey: string): Positions {
  const result = new Map<string, number>();
  list.forEach((item, index) => {
    const identity = identityOf(item, mergeKey);
    if (!result.has(identity)) result.set(identity, index);
  });
  return result;
}

/**
 * Sorts items by their place in a list. Items that are not in it all come to stand in reverse: what Go's insertion sort
 * makes of a comparison that calls them less than any other (reached by an empty `$setElementOrder`).
 */
function sortByPosition(items: JsonArray, by: Positions, mergeKey: string): JsonArray {
  const placed = items.map((item) => ({ item, at: by.get(identityOf(item, mergeKey)) }));
  const known = placed.every(({ at }) => at !== undefined);
  if (known) placed.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  else insertionSort(placed, (a, b) => a.at === undefined || b.at === undefined || a.at < b.at);
  return placed.map(({ item }) => item);
}

function insertionSort<T>(list: T[], less: (a: T, b: T) => boolean): void {
  for (let i = 1; i < list.length; i++) {
    for (let j = i; j > 0; j--) {
      const [left, right] = [list[j - 1] as T, list[j] as T];
      if (!less(right, left)) break;
      list[j - 1] = right;
      list[j] = left;
    }
  }
}

/** Puts each item of `left` before the first item of `right` that is known to come after it, else at the end. */
function interleave(
  left: JsonArray,
  right: JsonArray,
  position: (item: Json) => number | undefined,
): JsonArray {
  const result: Json[] = [];
  let at = 0;
  const precedes = (limit: number | undefined): boolean => {
    const own = at < left.length ? position(left[at] ?? null) : undefined;
    return own !== undefined && limit !== undefined && own < limit;
  };
  for (const item of right) {
    const limit = position(item);
    while (precedes(limit)) result.push(left[at++] ?? null);
    result.push(item);
  }
  return [...result, ...left.slice(at)];
}

function requireMergeKey(list: JsonArray, mergeKey: string): void {
  for (const item of list) {
    if (!isJsonObject(item)) throw expectedType('map[string]interface {}', item);
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  }
}
