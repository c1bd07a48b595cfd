const KEYS = Symbol('keys of a list of type map');

type Keyed = unknown[] & { [KEYS]?: readonly string[] };

/** Marks a list as one of type `map`, whose items these fields identify. */
export function keyedList(list: unknown[], keys: readonly string[]): unknown[] {
  return Object.defineProperty(list, KEYS, { value: keys });
}

/** The fields that identify the items of a list of type `map`; undefined for any other list. */
export function keysOfList(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) ? (list as Keyed)[KEYS] : undefined;
}

/** The result of `+` for a first list with a type: a union for `set`, a merge by key for `map`. */
export function joinLists(left: unknown, joined: readonly unknown[]): unknown {
  if (left instanceof Set) return new Set(joined);
  const keys = keysOfList(left);
  if (!keys) return joined;
  const items = new Map<string, unknown>();
  for (const item of joined) items.set(identity(item, keys), item);
  return keyedList([...items.values()], keys);
}

function identity(item: unknown, keys: readonly string[]): string {
  if (!(item instanceof Map)) return '';
  return JSON.stringify(keys.map((key) => String(item.get(key))));
}
