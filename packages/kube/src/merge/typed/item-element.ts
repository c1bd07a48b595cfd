import { canonicalJson } from '../../json/stringify-json.ts';
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../json/json.ts';
import { KubeError } from '../../kube-error.ts';
import type { PathElement } from '../../fields/path-element.ts';
import type { ListNode } from '../../schema/schema-node.ts';
import { keyDefault } from './shape.ts';

/** The step to an item of an associative list. Throws `TypedError` where the item has none. */
export function itemElement(list: ListNode, item: Json): PathElement {
  return list.listType === 'map' ? keyedElement(list, item) : setElement(item);
}

/** The path element of items without one. It is in no schema and in no fieldsV1. */
const NO_ELEMENT: PathElement = '';

/**
 * As {@link itemElement}, for values on the way: when a removal has taken an item's key but not the item, that item
 * still has to be found again, to be put back or to go. Source: structured-merge-diff ignores the error, too.
 */
export function itemElementOrNone(list: ListNode, item: Json): PathElement {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof KubeError) return NO_ELEMENT;
    throw error;
  }
}

/** A field name with the JSON before its value: computed once per list. */
type Key = { readonly name: string; readonly prefix: string; readonly default: Json | undefined };
const sortedKeys = new WeakMap<ListNode, readonly Key[]>();

function keysOf(list: ListNode): readonly Key[] {
  let keys = sortedKeys.get(list);
  if (keys === undefined) {
    keys = [...list.keys]
      .sort()
      .map((name) => ({ name, prefix: `${JSON.stringify(name)}:`, default: keyDefault(list, name) }));
    sortedKeys.set(list, keys);
  }
  return keys;
}

function keyedElement(list: ListNode, item: Json): PathElement {
  if (item === null)
    throw new KubeError('TypedError', 'associative list with keys may not have a null element');
  if (!isJsonObject(item)) {
    throw new KubeError('TypedError', 'associative list with keys may not have non-map elements');
  }
  const content = keyContent(keysOf(list), item);
  if (content !== '') return `k:{${content}}`;
  throw new KubeError(
    'TypedError',
    `associative list with keys has an element that omits all key fields [${list.keys
      .map((key) => JSON.stringify(key))
      .join(' ')}] (and doesn't have default values for any key fields)`,
  );
}

/** A key that is absent and has no default is left out: an item without it is another item. */
function keyContent(keys: readonly Key[], item: JsonObject): string {
  let content = '';
  for (const key of keys) {
    const value = getOwn(item, key.name) ?? key.default;
    if (value === undefined) continue;
    if (content !== '') content += ',';
    content += key.prefix + (typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value));
  }
  return content;
}

function setElement(item: Json): PathElement {
  if (isJsonObject(item)) {
    throw new KubeError('TypedError', "associative list without keys has an element that's a map type");
  }
  if (isJsonArray(item)) {
    throw new KubeError('TypedError', 'not supported: associative list with lists as elements');
  }
  if (item === null) {
    throw new KubeError('TypedError', "associative list without keys has an element that's an explicit null");
  }
  return `v:${canonicalJson(item)}`;
}

/** Items by their step, in order; several under one step are duplicates. */
export function groupItems(
  list: ListNode,
  items: readonly Json[],
  elementOf: typeof itemElement = itemElement,
): Map<PathElement, Json[]> {
  const groups = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = elementOf(list, item);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}
