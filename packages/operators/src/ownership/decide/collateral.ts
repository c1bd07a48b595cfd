import type { Json, KubeObject } from '@kubewright/kube';
import { type FieldSet, formatPath, getPath, type Path } from '@kubewright/kube/fields';
import { mentions, type Removal } from './removals.ts';

/** Fields of built-in types that are maps: without a schema a map and a struct look alike. */
export const MAP_FIELDS: ReadonlySet<string> = new Set(
  ['data', 'binaryData', 'stringData', 'labels', 'annotations', 'matchLabels', 'limits', 'requests'].map(
    (name) => `f:${name}`,
  ),
);

/**
 * Lists and maps that the following apply would delete as a whole, with elements that were not to be removed.
 * The server drops a list or map when the applier used to own something in it and nobody claims anything in it any
 * more; elements that nobody owns go with it.
 *
 * @param remaining everything that is claimed after the apply: others' sets after the rewrite, and the desired set
 */
export function collateralOf(
  removals: readonly Removal[],
  live: KubeObject,
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
