import {
  defined,
  isJsonArray,
  isJsonObject,
  type Json,
  type KubeObject,
  setOwn,
  type Stored,
} from '@kubewright/kube';
import { type FieldSet, getPath, parsePathElement, type Path } from '@kubewright/kube/fields';

/**
 * The part of a live object that a set of claims covers, as an apply configuration: what a manager would have to send
 * to keep exactly what it owns. Claims on what does not exist are left out.
 */
export function extractOwned(live: Stored, set: FieldSet): KubeObject {
  const { apiVersion, kind, metadata } = live;
  const { name, namespace } = metadata;
  const identity = { name, ...defined({ namespace }) };
  const owned = build(set, live, []);
  const fields = isJsonObject(owned) ? owned : {};
  const ownMetadata = isJsonObject(fields['metadata']) ? fields['metadata'] : {};
  return { ...fields, apiVersion, kind, metadata: { ...ownMetadata, ...identity } };
}

/** Values at and below `path`, or undefined when the set has nothing there that lives. */
function build(set: FieldSet, live: Json, path: Path): Json | undefined {
  const value = getPath(live, path);
  if (value === undefined) return undefined;
  const children = childrenOf(set.at(path));
  if (children.length === 0) return value;
  if (isJsonArray(value)) return items(set, live, path, children);
  if (!isJsonObject(value)) return value;
  const result: Record<string, Json> = {};
  for (const child of children) {
    const element = parsePathElement(child);
    const built = build(set, live, [...path, child]);
    if (element.type === 'field' && built !== undefined) setOwn(result, element.name, built);
  }
  return result;
}

function items(set: FieldSet, live: Json, path: Path, children: readonly string[]): Json {
  return children.flatMap((child) => {
    const element = parsePathElement(child);
    const built = build(set, live, [...path, child]);
    if (built === undefined) return [];
    return [element.type === 'key' && isJsonObject(built) ? { ...element.keys, ...built } : built];
  });
}

function childrenOf(set: FieldSet): readonly string[] {
  const first = new Set<string>();
  for (const [element] of set.paths()) if (element !== undefined) first.add(element);
  return [...first];
}
