import { type Json, type JsonObject, getOwn, isJsonArray, isJsonObject, jsonEqual } from '@kubewright/kube';
import type { ListNode, SchemaNode } from '@kubewright/kube/schema';

/**
 * A strategic patch as merging leaves it, which is how its errors show it: directives are used up, and what goes
 * where there was nothing has lost its nulls. List items that are new are as they were sent.
 */
export function mergedPatch(patch: JsonObject, live: JsonObject, node: SchemaNode | undefined): JsonObject {
  const { $patch, ...replacement } = patch;
  if ($patch === 'replace') return replacement;
  const kept = Object.entries(replacement).filter(([name]) => name !== '$retainKeys');
  return Object.fromEntries(
    kept.map(([name, value]) => [name, mergedField(value, getOwn(live, name), fieldOf(node, name))]),
  );
}

function mergedField(value: Json, there: Json | undefined, node: SchemaNode | undefined): Json {
  if (isJsonObject(value)) {
    return isJsonObject(there) ? mergedPatch(value, there, node) : withoutNulls(value);
  }
  if (!isJsonArray(value) || there === undefined) return withoutNulls(value);
  if (!isJsonArray(there) || node?.kind !== 'list') return value;
  return value.map((item) => mergedItem(item, there, node));
}

function mergedItem(item: Json, there: readonly Json[], node: ListNode): Json {
  const key = node.patch?.mergeKey;
  if (key === undefined || !isJsonObject(item)) return item;
  const live = there.find(
    (other): other is JsonObject => isJsonObject(other) && jsonEqual(getOwn(other, key), getOwn(item, key)),
  );
  return live === undefined ? item : mergedPatch(item, live, node.items);
}

function fieldOf(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  if (node?.kind === 'map') return node.values;
  return node?.kind === 'struct' ? node.fields.get(name)?.node : undefined;
}

function withoutNulls(value: Json): Json {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(kept.map(([name, child]) => [name, withoutNulls(child)]));
}
