import { type Json, type JsonObject, setOwn } from '../json/json.ts';
import { remembered } from './remembered.ts';

/** A node of fieldsV1, frozen; equal ids have equal content. */
export type SharedNode = { readonly json: JsonObject; readonly id: number };

export type NodeEntry = readonly [element: string, below: SharedNode];

export const EMPTY_NODE: SharedNode = { json: Object.freeze({}), id: 0 };

const nodes = remembered<SharedNode>();
let lastId = EMPTY_NODE.id;

/**
 * The node with these entries. What is claimed of a thousand Pods differs in an address or an owner: they share the rest,
 * which would otherwise be most of what a server holds.
 */
export function shareNode(entries: readonly NodeEntry[]): SharedNode {
  if (entries.length === 0) return EMPTY_NODE;
  const key = keyOf(entries);
  const known = nodes.recall(key);
  if (known !== undefined) return known;
  const json: Record<string, Json> = {};
  for (const [element, below] of entries) setOwn(json, element, below.json);
  const node = { json: Object.freeze(json), id: ++lastId };
  nodes.remember(key, node);
  return node;
}

/** With the length of each element, as an element may hold any character. */
function keyOf(entries: readonly NodeEntry[]): string {
  let key = '';
  for (const [element, { id }] of entries) key += `${element.length}:${element}${id},`;
  return key;
}
