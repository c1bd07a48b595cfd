import type { Stored } from '@kubewright/kube';
import { addFinalizer, type Io } from '@kubewright/runtime';
import {
  CLEANUP_FINALIZER,
  type Composition,
  compositionOf,
  RESOURCE_SLICES,
  type ResourceSlice,
} from './api.ts';
import { otherCompositions } from './holders/other-compositions.ts';
import type { SliceScene } from './reconcile-slice.ts';
import { otherSlices, sliceTask } from './slice-task.ts';
import { BY_COMPOSITION } from './watched.ts';

/** What a slice is part of. `cached` is the slice as the cache has it, `slice` maybe as the server has. */
export async function sceneOf(
  slice: Stored<ResourceSlice>,
  cached: Stored<ResourceSlice>,
  composition: Composition,
  io: Io,
): Promise<SliceScene> {
  const task = sliceTask(slice, composition);
  const held = task === 'apply' ? await addFinalizer(io, RESOURCE_SLICES, slice, CLEANUP_FINALIZER) : slice;
  return {
    slice: held,
    composition,
    task: task === 'delete' || task === 'prune' ? task : 'apply',
    siblings: siblingsOf(slice, composition, io),
    others: await othersOf(slice, cached, composition, io),
    listOthers: () => listOthers(slice, composition, io),
    elsewhere: otherCompositions(composition, io),
  };
}

/**
 * Undefined while the cache is behind the slice that was read: then the others may be out of date too. In a deletion, the
 * server says which are gone already.
 */
async function othersOf(
  slice: Stored<ResourceSlice>,
  cached: Stored<ResourceSlice>,
  composition: Composition,
  io: Io,
): Promise<SliceScene['others']> {
  const isCurrent = slice.metadata.generation === cached.metadata.generation;
  const known = isCurrent ? otherSlices(slice, composition, ownedBy(composition, io.cache)) : undefined;
  if (known !== undefined || composition.metadata.deletionTimestamp === undefined) return known;
  return listOthers(slice, composition, io);
}

/** All other slices of the Composition, as the cache has them. */
export function siblingsOf(
  { metadata }: Stored<ResourceSlice>,
  composition: Composition,
  { cache }: Io,
): readonly ResourceSlice[] {
  return ownedBy(composition, cache).filter((other) => other.metadata.name !== metadata.name);
}

function ownedBy({ metadata }: Composition, cache: Io['cache']): readonly Stored<ResourceSlice>[] {
  return cache.byIndex(RESOURCE_SLICES, BY_COMPOSITION, metadata.uid ?? '');
}

/** From the server: what no slice mentions is deleted, and the cache may lack the slice that does. */
async function listOthers(
  slice: Stored<ResourceSlice>,
  composition: Composition,
  { client }: Io,
): Promise<SliceScene['others']> {
  const { items } = await client.list(RESOURCE_SLICES, { namespace: slice.metadata.namespace });
  const { uid } = composition.metadata;
  return otherSlices(
    slice,
    composition,
    items.filter((item) => uid !== undefined && compositionOf(item)?.uid === uid),
    true,
  );
}
