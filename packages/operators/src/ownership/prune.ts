import type { Stored } from '@kubewright/kube';
import type { Result } from '@kubewright/runtime';
import type { Composition, InventoryEntry, ResourceSlice, ResourceState } from './api.ts';
import { manifestKey, objectKey, tombstoneOf } from './inventory.ts';
import { type DesiredManifest, readManifest } from './read-manifest.ts';
import { reconcileManifest, type SlicePass } from './reconcile-manifest.ts';
import type { SliceStates } from './slice-states.ts';

/** The delay before it is seen whether another slice has recorded an object as its own. */
const HANDOVER_MS = 1000;

/** The objects of manifests, by {@link objectKey}. */
export type Mentioned = {
  /** Of the slice itself, with the index of the manifest. */
  readonly own: ReadonlyMap<string, number>;
  /**
   * Which other slices of the synthesis want; they delete it when its time comes. `pending`: it is not in their inventory
   * yet. Also what a Patch changes: it leaves the object as it is.
   */
  readonly others: ReadonlyMap<string, 'recorded' | 'pending'>;
};

type Place = {
  readonly slice: Stored<ResourceSlice>;
  readonly composition: Composition;
  readonly states: SliceStates;
  readonly pass: SlicePass;
};

/**
 * Deletes the objects that the slice applied and no manifest mentions any more, and takes off its inventory what is gone,
 * or is another slice's.
 */
export async function prune({ own, others }: Mentioned, place: Place): Promise<readonly Result[]> {
  const { states } = place;
  let tombstoneFor: ReturnType<typeof tombstones> | undefined;
  const kept: InventoryEntry[] = [];
  const results: Result[] = [];
  for (const entry of states.inventory()) {
    const key = objectKey(entry);
    const index = own.get(key);
    if (index !== undefined) {
      if (states.of(index).deleted !== true) kept.push(entry);
    } else if (others.get(key) === 'pending' && entry.applied !== undefined) {
      // The other slice takes over from here what was applied.
      kept.push(entry);
      results.push({ requeueAfter: HANDOVER_MS });
    } else if (!others.has(key)) {
      tombstoneFor ??= tombstones(place);
      const { result, state } = await remove(tombstoneFor(entry), place);
      if (state.deleted !== true) kept.push(entry);
      else if (state.ownership?.state === 'Released') states.noteReleased(entry, state.ownership.message);
      results.push(result);
    }
  }
  states.setInventory(kept);
  return results;
}

/**
 * The manifest by which an object is deleted: the one that applied it, if the slice still has that, because its overrides
 * may say that the object stays.
 */
function tombstones({ slice, composition }: Place): (entry: InventoryEntry) => DesiredManifest {
  const last = new Map<string, DesiredManifest>();
  for (const resource of slice.spec?.resources ?? []) {
    const read = readManifest(resource, composition);
    if (typeof read !== 'string' && read.patch === undefined) last.set(manifestKey(read), read);
  }
  return (entry) => {
    const manifest = last.get(objectKey(entry));
    return manifest === undefined
      ? tombstoneOf(entry, composition)
      : { ...manifest, deleted: true, isDropped: true };
  };
}

async function remove(
  tombstone: DesiredManifest,
  { slice, pass }: Place,
): Promise<{ readonly result: Result; readonly state: ResourceState }> {
  let state: ResourceState = {};
  const store = {
    get: () => state,
    set: (next: ResourceState) => void (state = next),
    // The inventory says already that it has to go.
    write: () => Promise.resolve('done' as const),
    whenStored: (callback: () => void) => callback(),
  };
  const result = await reconcileManifest(tombstone, slice, store, pass);
  return { result, state };
}
