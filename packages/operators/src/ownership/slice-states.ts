import { defined, jsonEqual, type Stored } from '@kubewright/kube';
import { type Io, updateStatus } from '@kubewright/runtime';
import {
  type InventoryEntry,
  type ReleasedObject,
  RESOURCE_SLICES,
  type ResourceSlice,
  type ResourceState,
} from './api.ts';
import { objectKey } from './inventory.ts';
import { RecordedObjects } from './recorded-objects.ts';

/** The status of a slice, while it is worked on. */
export type SliceStates = {
  readonly of: (index: number) => ResourceState;
  readonly set: (index: number, state: ResourceState) => void;
  /** Records the failure of a manifest. */
  readonly fail: (index: number, message: string) => void;
  readonly inventory: () => readonly InventoryEntry[];
  readonly setInventory: (entries: readonly InventoryEntry[]) => void;
  /** Whether an object of this key is on record. */
  readonly isOnRecord: (key: string) => boolean;
  /** Records that an object stays which no manifest mentions any more. */
  readonly noteReleased: (entry: InventoryEntry, message: string) => void;
  /** What the last apply of an object of the inventory owned, by its key. */
  readonly applied: (key: string) => string | undefined;
  readonly setApplied: (key: string, applied: string | undefined) => void;
  /**
   * Writes the status where it differs from the server's. `undone`: the server stored another, for example because of a
   * webhook.
   */
  readonly write: () => Promise<'done' | 'undone'>;
  /** The resourceVersion of the slice as it was read, or last written. */
  readonly version: () => string;
  /** Calls back once the status is stored as it is now: what is counted before may be decided and counted again. */
  readonly whenStored: (callback: () => void) => void;
};

/** The states of all manifests of a slice; those of an earlier generation say nothing. */
export function currentStates({ spec, status, metadata }: ResourceSlice): readonly ResourceState[] {
  // The original writes no generation: its slices never change.
  const isCurrent =
    status?.observedGeneration === undefined || status.observedGeneration === metadata.generation;
  const known = isCurrent ? (status?.resources ?? []) : [];
  return (spec?.resources ?? []).map((_manifest, index) => known[index] ?? {});
}

/** The states of what the slice could not delete although no manifest mentions it any more. */
export function pruneFailures({ status }: ResourceSlice): readonly ResourceState[] {
  return (status?.inventory ?? []).flatMap(({ kind, namespace, name, error }) => {
    const object = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    return error === undefined
      ? []
      : [{ reconciled: false, reconciliationError: `cannot delete ${object}: ${error}` }];
  });
}

/** So many objects that were released are kept in the status. */
const RELEASED_LIMIT = 20;

/** What is applied again is not released any more. */
function stillReleased(
  released: readonly ReleasedObject[],
  inventory: readonly InventoryEntry[],
): readonly ReleasedObject[] {
  const applied = new Set(inventory.map((entry) => objectKey(entry)));
  return released.filter((one) => !applied.has(objectKey(one))).slice(-RELEASED_LIMIT);
}

/** The states of a slice that was just read. */
export function sliceStates(slice: Stored<ResourceSlice>, io: Io): SliceStates {
  const { generation } = slice.metadata;
  const states = [...currentStates(slice)];
  const inventory = new RecordedObjects(slice.status?.inventory ?? []);
  let released: readonly ReleasedObject[] = slice.status?.released ?? [];
  let stored = slice;
  const waiting: (() => void)[] = [];
  return {
    of: (index) => states[index] ?? {},
    set: (index, state) => void (states[index] = state),
    fail(index, message) {
      states[index] = { ...states[index], reconciled: false, reconciliationError: message };
    },
    inventory: () => inventory.entries,
    setInventory: (entries) => inventory.replace(entries),
    isOnRecord: (key) => inventory.get(key) !== undefined,
    noteReleased({ apiVersion, kind, namespace, name }, message) {
      const now = { apiVersion, kind, ...defined({ namespace }), name, message };
      released = [...released.filter((one) => objectKey(one) !== objectKey(now)), now];
    },
    applied: (key) => inventory.get(key)?.applied,
    setApplied: (key, applied) => inventory.setApplied(key, applied),
    version: () => stored.metadata.resourceVersion,
    async write() {
      const { entries } = inventory;
      const left = stillReleased(released, entries);
      const status = {
        resources: [...states],
        ...(generation === undefined ? {} : { observedGeneration: generation }),
        ...(entries.length === 0 ? {} : { inventory: [...entries] }),
        ...(left.length === 0 ? {} : { released: [...left] }),
      };
      stored = await updateStatus(io, RESOURCE_SLICES, stored, status);
      if (!jsonEqual(stored.status, status)) return 'undone';
      for (const callback of waiting.splice(0)) callback();
      return 'done';
    },
    whenStored: (callback) => void waiting.push(callback),
  };
}
