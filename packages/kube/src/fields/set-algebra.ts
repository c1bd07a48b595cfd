import type { PathElement } from './path-element.ts';

type Members = ReadonlySet<PathElement>;
type Children<S> = ReadonlyMap<PathElement, S>;

/** A set as these operations see it; `FieldSet` is the one. */
export type SetNode<S> = {
  readonly members: Members;
  readonly children: Children<S>;
  readonly isEmpty: boolean;
  child(element: PathElement): S;
  with(members: Members, children: Children<S>): S;
};

const NO_MEMBERS: Members = new Set();
const NO_CHILDREN: Children<never> = new Map<PathElement, never>();

function emptied<S extends SetNode<S>>(set: S): S {
  return set.with(NO_MEMBERS, NO_CHILDREN);
}

/** Keeps a set's identity where an operation changed nothing, so that later operations on it are free. */
function rebuilt<S extends SetNode<S>>(original: S, members: Members, children: Children<S>): S {
  if (members === original.members && children === original.children) return original;
  return original.with(members, children);
}

function filterMembers(members: Members, keep: (element: PathElement) => boolean): Members {
  const kept = new Set<PathElement>();
  for (const element of members) if (keep(element)) kept.add(element);
  return kept.size === members.size ? members : kept;
}

/** Replaces each child by what `change` makes of it; empty ones go. */
function mapChildren<S extends SetNode<S>>(
  children: Children<S>,
  change: (child: S, element: PathElement) => S,
): Children<S> {
  const changed = new Map<PathElement, S>();
  let same = true;
  for (const [element, child] of children) {
    const next = change(child, element);
    if (next !== child) same = false;
    if (!next.isEmpty) changed.set(element, next);
  }
  return same ? children : changed;
}

export function union<S extends SetNode<S>>(a: S, b: S): S {
  if (a === b || b.isEmpty) return a;
  if (a.isEmpty) return b;
  return rebuilt(a, unionMembers(a.members, b.members), unionChildren(a.children, b.children));
}

function unionMembers(a: Members, b: Members): Members {
  const added = [...b].filter((element) => !a.has(element));
  return added.length === 0 ? a : new Set([...a, ...added]);
}

function unionChildren<S extends SetNode<S>>(a: Children<S>, b: Children<S>): Children<S> {
  let merged: Map<PathElement, S> | undefined;
  for (const [element, child] of b) {
    const known = a.get(element);
    const next = known === undefined ? child : union(known, child);
    if (next === known) continue;
    merged ??= new Map(a);
    merged.set(element, next);
  }
  return merged ?? a;
}

export function intersection<S extends SetNode<S>>(a: S, b: S): S {
  if (a === b) return a;
  const members = filterMembers(a.members, (element) => b.members.has(element));
  const children = mapChildren(a.children, (child, element) => intersection(child, b.child(element)));
  return rebuilt(a, members, children);
}

export function difference<S extends SetNode<S>>(a: S, b: S): S {
  if (a === b) return emptied(a);
  if (b.isEmpty) return a;
  const members = filterMembers(a.members, (element) => !b.members.has(element));
  const children = mapChildren(a.children, (child, element) => difference(child, b.child(element)));
  return rebuilt(a, members, children);
}

export function recursiveDifference<S extends SetNode<S>>(a: S, b: S): S {
  if (a === b) return emptied(a);
  if (b.isEmpty) return a;
  const members = filterMembers(a.members, (element) => !b.members.has(element));
  const children = mapChildren(a.children, (child, element) =>
    b.members.has(element) ? emptied(child) : recursiveDifference(child, b.child(element)),
  );
  return rebuilt(a, members, children);
}

export function leaves<S extends SetNode<S>>(set: S): S {
  const members = filterMembers(set.members, (element) => !set.children.has(element));
  return rebuilt(set, members, mapChildren(set.children, leaves));
}

export function equals<S extends SetNode<S>>(a: S, b: S): boolean {
  if (a === b) return true;
  if (a.members.size !== b.members.size || a.children.size !== b.children.size) return false;
  for (const element of a.members) if (!b.members.has(element)) return false;
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other === undefined || !equals(child, other)) return false;
  }
  return true;
}
