import type { Json, Stored } from '@kubewright/kube';
import { type FieldSet, formatPath, getPath, type Path } from '@kubewright/kube/fields';

/**
 * Something that was applied before and is no longer desired. An `item`, an element of an associative list or set, is
 * removed as a whole; a `field` is one owned path.
 */
export type Removal = { readonly path: Path; readonly kind: 'item' | 'field' };

/**
 * What must be removed on the way from `applied` to `desired`: the outermost list items that `desired` lacks, and
 * single fields outside of them. A path with desired fields below it is not a removal.
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

/** An element of an associative list or set. */
export function isItemElement(element: string): boolean {
  return element.startsWith('k:') || element.startsWith('v:');
}

/** True when the set has `path` or anything below it. */
export function mentions(set: FieldSet, path: Path): boolean {
  return set.has(path) || !set.at(path).isEmpty;
}

/** The outermost field at or above `path` that `desired` lacks: what we no longer apply. */
export function abandonedAbove(path: Path, desired: FieldSet): Path {
  for (let length = 1; length < path.length; length++) {
    const prefix = path.slice(0, length);
    if (!mentions(desired, prefix)) return prefix;
  }
  return path;
}

/** Map fields of built-in types: without a schema, maps and structs look alike. */
export const MAP_FIELDS: ReadonlySet<string> = new Set(
  ['data', 'binaryData', 'stringData', 'labels', 'annotations', 'matchLabels', 'limits', 'requests'].map(
    (name) => `f:${name}`,
  ),
);

/**
 * Lists and maps that the next apply would delete as a whole, with elements that were not to be removed. The server
 * drops a list or map if the applier owned something in it and no manager does any more; elements without an owner go
 * with it.
 *
 * @param remaining everything that is claimed after the apply: others' sets after the rewrite, and the desired set
 */
export function deletedAlong(
  removals: readonly Removal[],
  live: Stored,
  remaining: FieldSet,
): readonly string[] {
  const containers = new Map<string, { path: Path; removed: number }>();
  for (const { path, kind } of removals) {
    const container = path.slice(0, -1);
    const isCollection = kind === 'item' || MAP_FIELDS.has(container.at(-1) ?? '');
    if (!isCollection || getPath(live, path) === undefined) continue;
    const key = JSON.stringify(container);
    containers.set(key, { path: container, removed: (containers.get(key)?.removed ?? 0) + 1 });
  }
  return [...containers.values()]
    .filter(
      ({ path, removed }) => !mentions(remaining, path) && sizeOf(getPath(live as Json, path)) > removed,
    )
    .map(({ path }) => formatPath(path));
}

function sizeOf(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
