import { type Json, type JsonObject, setOwn } from '../json/value.ts';

/** A node of fieldsV1, frozen; equal ids have equal content. */
export type SharedNode = { readonly json: JsonObject; readonly id: number };

export type NodeEntry = readonly [element: string, below: SharedNode];

export const EMPTY_NODE: SharedNode = { json: Object.freeze({}), id: 0 };

/** So many nodes, those that were used last, are remembered; at most twice as many. */
const REMEMBERED = 2048;
/** Of a longer key no other object is likely to have the same. */
const LONGEST_KEY = 4096;

/** Two generations: to keep one map in the order of use would cost more at each hit than to make the node. */
let recent = new Map<string, SharedNode>();
let older = new Map<string, SharedNode>();
let lastId = EMPTY_NODE.id;

/**
 * The node with these entries. What is claimed of a thousand Pods differs in an address or an owner: they share the rest,
 * which would otherwise be most of what a server holds.
 */
export function shareNode(entries: readonly NodeEntry[]): SharedNode {
  if (entries.length === 0) return EMPTY_NODE;
  const key = keyOf(entries);
  const known = recall(key);
  if (known !== undefined) return known;
  const json: Record<string, Json> = {};
  for (const [element, below] of entries) setOwn(json, element, below.json);
  const node = { json: Object.freeze(json), id: ++lastId };
  if (key.length <= LONGEST_KEY) remember(key, node);
  return node;
}

/** With the length of each element, as an element may hold any character. */
function keyOf(entries: readonly NodeEntry[]): string {
  let key = '';
  for (const [element, { id }] of entries) key += `${element.length}:${element}${id},`;
  return key;
}

function recall(key: string): SharedNode | undefined {
  const known = recent.get(key);
  if (known !== undefined) return known;
  const old = older.get(key);
  if (old !== undefined) remember(key, old);
  return old;
}

function remember(key: string, node: SharedNode): void {
  recent.set(key, node);
  if (recent.size < REMEMBERED) return;
  older = recent;
  recent = new Map();
}
