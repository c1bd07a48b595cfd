import type { KubeObject, Stored } from '@kubewright/kube';
import { getPath, type Path } from '@kubewright/kube/fields';
import { FIELD_MANAGER } from '../api.ts';
import { ownSet } from '../read-managed-fields.ts';
import { removalsOf } from './removals-of.ts';
import { unowned } from './unowned.ts';

/** Whether this is one label or annotation of the object itself. */
export function isLabel(path: Path): boolean {
  const [top, map] = path;
  return path.length === 3 && top === 'f:metadata' && (map === 'f:labels' || map === 'f:annotations');
}

/** The labels and annotations that we no longer own after an apply, and that it takes out of `before`. */
export function removedLabels(before: Stored, after: Stored): readonly Path[] {
  return droppedLabels(before, after).filter((path) => getPath(after, path) === undefined);
}

/**
 * Labels and annotations that a mutating webhook puts back when they are dropped. A policy may do that on purpose, so
 * that the rest of the manifest is applied. We keep our claim on them: they go as soon as nothing puts them back.
 */
export function restoredLabels(before: Stored, after: Stored): readonly Path[] {
  return unowned(droppedLabels(before, after), after);
}

function droppedLabels(before: Stored, after: Stored): readonly Path[] {
  return removalsOf(ownSet(before, FIELD_MANAGER), ownSet(after, FIELD_MANAGER))
    .map(({ path }) => path)
    .filter((path) => isLabel(path) && getPath(before, path) !== undefined);
}

/** The manifest with these labels and annotations as they are. */
export function keepLabels(manifest: KubeObject, live: Stored, paths: readonly Path[]): KubeObject {
  if (paths.length === 0) return manifest;
  const kept = (map: 'labels' | 'annotations') => {
    const ofMap = paths.filter((path) => path[1] === `f:${map}`);
    const names = new Set(ofMap.map((path) => (path[2] ?? '').slice(2)));
    const entries = Object.entries(live.metadata[map] ?? {}).filter(([name]) => names.has(name));
    const all = Object.fromEntries([...Object.entries(manifest.metadata[map] ?? {}), ...entries]);
    return entries.length === 0 ? {} : { [map]: all };
  };
  const metadata = { ...manifest.metadata, ...kept('labels'), ...kept('annotations') };
  return { ...manifest, metadata };
}
