import { type Json, isJsonArray, isJsonObject, mapMembers } from '../../json/json.ts';
import type { SchemaNode } from '../schema-node.ts';
import { isEmbedded, itemsOf, preservesUnknown, propertyOf } from './property-of.ts';

/** A pruned value, and the paths that were dropped. */
export type Pruned = {
  readonly value: Json;
  /** Paths of the removed fields, sorted: `spec.parts[0].colour`. */
  readonly unknownFields: readonly string[];
};

type PruneOptions = {
  /** The value is a whole object: `apiVersion`, `kind` and `metadata` stay. Default true. */
  readonly resourceRoot?: boolean;
};

type Walk = { readonly path: string[]; readonly unknown: string[] };

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes the fields that a structural schema does not name, as custom resources are pruned on their way in
 * (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning).
 */
export function pruneStructural(node: SchemaNode, value: Json, options: PruneOptions = {}): Pruned {
  const walk: Walk = { path: [], unknown: [] };
  const pruned = prune(walk, node, value, options.resourceRoot ?? true);
  return { value: pruned, unknownFields: walk.unknown.sort() };
}

function prune(walk: Walk, node: SchemaNode | undefined, value: Json, isRoot: boolean): Json {
  if (isJsonArray(value)) return pruneItems(walk, node, value);
  if (!isJsonObject(value)) return value;
  const keepsMeta = isRoot || (node !== undefined && isEmbedded(node));
  const keepsAll = node !== undefined && preservesUnknown(node);
  return mapMembers(value, (key, item) => {
    if (keepsMeta && metaFields.has(key)) return item;
    const property = propertyOf(node, key);
    if (property !== undefined) return inside(walk, key, () => prune(walk, valueNode(property), item, false));
    if (keepsAll) return item;
    if (!metaFields.has(key) || walk.path.length > 0) report(walk, key);
    return undefined;
  });
}

/** `additionalProperties: true` names no schema: everything inside its values is unknown. */
function valueNode(node: SchemaNode): SchemaNode | undefined {
  return node.kind === 'any' && !preservesUnknown(node) ? undefined : node;
}

function pruneItems(walk: Walk, node: SchemaNode | undefined, value: readonly Json[]): Json {
  const items = itemsOf(node);
  if (items === undefined && node !== undefined && preservesUnknown(node)) return value;
  let changed = false;
  const kept = value.map((item, index) => {
    walk.path.push(`[${index}]`);
    const pruned = prune(walk, items, item, false);
    walk.path.pop();
    changed ||= pruned !== item;
    return pruned;
  });
  return changed ? kept : value;
}

function inside<T>(walk: Walk, key: string, visit: () => T): T {
  walk.path.push(walk.path.length === 0 ? key : `.${key}`);
  const result = visit();
  walk.path.pop();
  return result;
}

function report(walk: Walk, key: string): void {
  walk.unknown.push(walk.path.length === 0 ? key : `${walk.path.join('')}.${key}`);
}
