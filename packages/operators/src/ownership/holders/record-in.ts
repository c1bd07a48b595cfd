import { isConflict, isNotFound } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import { addFinalizer, type Io, updateStatus } from '@kubewright/runtime';
import { CLEANUP_FINALIZER, type InventoryEntry, RESOURCE_SLICES, type ResourceSlice } from '../api.ts';
import { inventoryEntry, manifestKey, objectKey } from '../inventory.ts';
import { isSameObject } from './claim-on.ts';
import { wantedManifests } from './wants-objects.ts';

/** What a slice would put on record of a live object before it applies it; undefined where it has, or never applies it. */
export function unrecordedEntry(slice: ResourceSlice, live: Stored): InventoryEntry | undefined {
  const recorded = new Set((slice.status?.inventory ?? []).map((entry) => objectKey(entry)));
  const manifest = wantedManifests(slice).find(
    (one) => isSameObject({ ...one.object, ...one.object.metadata }, live) && !recorded.has(manifestKey(one)),
  );
  return manifest && inventoryEntry(manifest);
}

/** Puts a live object on record in these slices, as they do themselves: the finalizer first. */
export async function recordIn(
  slices: readonly Stored<ResourceSlice>[],
  live: Stored,
  io: Io,
): Promise<'done' | 'conflict'> {
  try {
    for (const slice of slices) {
      const entry = unrecordedEntry(slice, live);
      if (entry === undefined) continue;
      const held = await addFinalizer(io, RESOURCE_SLICES, slice, CLEANUP_FINALIZER);
      const inventory = [...(held.status?.inventory ?? []), entry];
      await updateStatus(io, RESOURCE_SLICES, held, { ...held.status, inventory });
    }
    return 'done';
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return 'conflict';
    throw error;
  }
}
