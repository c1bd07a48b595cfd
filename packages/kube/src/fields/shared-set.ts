import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { remembered } from './remembered.ts';

const sets = remembered<FieldSet>();
/** Equal ids are one set. */
const ids = new WeakMap<FieldSet, number>();
let lastId = 0;

/**
 * The set of these claims, which may repeat. Objects of one kind mostly claim the same in the same order: they share the
 * set, what was computed of it, and its JSON.
 */
export function sharedSet(
  members: readonly PathElement[],
  children: readonly (readonly [PathElement, FieldSet])[],
): FieldSet {
  if (members.length === 0 && children.length === 0) return FieldSet.EMPTY;
  const key = keyOf(members, children);
  const known = sets.recall(key);
  if (known !== undefined) return known;
  const set = FieldSet.EMPTY.with(new Set(members), united(children));
  sets.remember(key, set);
  return set;
}

/** With the length of each element, as an element may hold any character. */
function keyOf(
  members: readonly PathElement[],
  children: readonly (readonly [PathElement, FieldSet])[],
): string {
  let key = '';
  for (const element of members) key += `${element.length}:${element}`;
  for (const [element, set] of children) key += `,${element.length}:${element}${idOf(set)}`;
  return key;
}

function idOf(set: FieldSet): number {
  let id = ids.get(set);
  if (id === undefined) {
    lastId += 1;
    id = lastId;
    ids.set(set, id);
  }
  return id;
}

function united(children: readonly (readonly [PathElement, FieldSet])[]): Map<PathElement, FieldSet> {
  const below = new Map<PathElement, FieldSet>();
  for (const [element, set] of children) below.set(element, below.get(element)?.union(set) ?? set);
  return below;
}
