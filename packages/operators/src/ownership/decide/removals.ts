import type { FieldSet, Path } from '@kubewright/kube/fields';

/**
 * Something that was applied before and is no longer wanted.
 * An `item` is an element of an associative list or set and leaves as a whole; a `field` is one claimed path.
 */
export type Removal = { readonly path: Path; readonly kind: 'item' | 'field' };

/**
 * What has to go when `desired` follows `applied`: the outermost list items of which `desired` says nothing, and the
 * single fields outside of them. A path that `desired` still passes through is not a removal.
 */
export function removalsOf(applied: FieldSet, desired: FieldSet): readonly Removal[] {
  const removals = new Map<string, Removal>();
  for (const path of applied.difference(desired).paths()) {
    const removal = rootOf(path, desired);
    if (removal !== undefined) removals.set(JSON.stringify(removal.path), removal);
  }
  return [...removals.values()];
}

function rootOf(path: Path, desired: FieldSet): Removal | undefined {
  for (let length = 1; length <= path.length; length++) {
    if (isItemElement(path[length - 1] ?? '')) {
      const prefix = path.slice(0, length);
      if (!mentions(desired, prefix)) return { path: prefix, kind: 'item' };
    }
  }
  return mentions(desired, path) ? undefined : { path, kind: 'field' };
}

function isItemElement(element: string): boolean {
  return element.startsWith('k:') || element.startsWith('v:');
}

/** True when the set has `path` or anything below it. */
export function mentions(set: FieldSet, path: Path): boolean {
  return set.has(path) || !set.at(path).isEmpty;
}

/** The outermost field above `path` (or `path` itself) of which `desired` says nothing: what is being given up. */
export function abandonedAbove(path: Path, desired: FieldSet): Path {
  for (let length = 1; length < path.length; length++) {
    const prefix = path.slice(0, length);
    if (!mentions(desired, prefix)) return prefix;
  }
  return path;
}
