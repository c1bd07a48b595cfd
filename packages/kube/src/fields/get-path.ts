import { jsonEqual } from '../json/json-equal.ts';
import { getOwn, isJsonArray, isJsonObject, type Json } from '../json/json.ts';
import { type Path, type PathElement, parsePathElement } from './path-element.ts';

/** The value at a path; undefined where there is none. List items are found by their keys or by their value. */
export function getPath(root: Json | undefined, path: Path): Json | undefined {
  let current: Json | undefined = root;
  for (const element of path) current = getElement(current, element);
  return current;
}

/** The value one step below. */
export function getElement(parent: Json | undefined, element: PathElement): Json | undefined {
  const parsed = parsePathElement(element);
  if (parsed.type === 'field') return isJsonObject(parent) ? getOwn(parent, parsed.name) : undefined;
  if (!isJsonArray(parent)) return undefined;
  switch (parsed.type) {
    case 'index':
      return parent[parsed.index];
    case 'value':
      return parent.find((item) => jsonEqual(item, parsed.value));
    case 'key':
      return parent.find((item) => hasKeys(item, parsed.keys));
  }
}

function hasKeys(item: Json, keys: Readonly<Record<string, Json>>): boolean {
  return (
    isJsonObject(item) && Object.entries(keys).every(([name, value]) => jsonEqual(getOwn(item, name), value))
  );
}
