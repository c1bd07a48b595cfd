import { defined, lazy, type Stored } from '@kubewright/kube';
import type { Result } from '@kubewright/runtime';
import { refOf } from '../kit/any-kind-api.ts';
import type { Composition, InventoryEntry, ResourceSlice, ResourceState } from './api.ts';
import { manifestKey, objectKey, tombstoneOf } from './inventory.ts';
import { failureText } from './failure-text.ts';
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

/** What became of what was to be pruned. `failure` is the first of a call. */
export type Pruned = { readonly results: readonly Result[]; readonly failure?: { readonly error: unknown } };

/**
 * Deletes the objects that the slice applied and no manifest mentions any more, and takes off its inventory what is gone,
 * or is another slice's. What cannot be deleted stays there, with the reason; it does not keep the others from being deleted.
 */
export async function prune(mentioned: Mentioned, place: Place): Promise<Pruned> {
  const { states } = place;
  const tombstoneFor = lazy(() => tombstones(place));
  const kept: InventoryEntry[] = [];
  const results: Result[] = [];
  let failure: Pruned['failure'];
  const namesakes = namesakesIn(mentioned);
  for (const entry of states.inventory()) {
    const claim = claimOn(entry, mentioned, states);
    if (claim === 'done') continue;
    if (claim !== 'nobody') kept.push(entry);
    if (claim === 'pending') results.push({ requeueAfter: HANDOVER_MS });
    if (claim !== 'nobody') continue;
    const removed = await remove(tombstoneFor()(entry), entry, { ...place, namesakes });
    const { state, result } = removed;
    failure ??= removed.failure;
    if (state.deleted !== true) kept.push(withError(entry, state.reconciliationError));
    else if (state.ownership?.state === 'Released') states.noteReleased(entry, state.ownership.message);
    results.push(result);
  }
  states.setInventory(kept);
  return { results, ...defined({ failure }) };
}

/**
 * Whose an object on record is. `pending`: another slice takes over from here what was applied. `done`: it need not be on
 * record here any more.
 */
function claimOn(
  entry: InventoryEntry,
  { own, others }: Mentioned,
  states: SliceStates,
): 'own' | 'pending' | 'done' | 'nobody' {
  const key = objectKey(entry);
  const index = own.get(key);
  if (index !== undefined) return states.of(index).deleted === true ? 'done' : 'own';
  if (others.get(key) === 'pending' && entry.applied !== undefined) return 'pending';
  return others.has(key) ? 'done' : 'nobody';
}

type Going = Place & { readonly namesakes: ReadonlySet<string> };

/** What is mentioned, without namespaces. */
function namesakesIn({ own, others }: Mentioned): ReadonlySet<string> {
  return new Set([...own.keys(), ...others.keys()].map(withoutNamespace));
}

function withoutNamespace(key: string): string {
  const [group, kind, , name] = key.split('/');
  return [group, kind, name].join('/');
}

/** Whether a manifest with another namespace is of the same object, because its kind has none. */
async function isNamesake(entry: InventoryEntry, { namesakes, pass }: Going): Promise<boolean> {
  if (!namesakes.has(withoutNamespace(objectKey(entry)))) return false;
  const { apiVersion, kind, namespace, name } = entry;
  const live = await pass.tools.api.find(
    refOf({ apiVersion, kind, metadata: { name, ...defined({ namespace }) } }),
  );
  return live !== undefined && live.metadata.namespace === undefined;
}

function withError({ error: _before, ...entry }: InventoryEntry, error: string | undefined): InventoryEntry {
  return { ...entry, ...defined({ error }) };
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

type Removed = Pick<Pruned, 'failure'> & { readonly result: Result; readonly state: ResourceState };

async function remove(tombstone: DesiredManifest, entry: InventoryEntry, place: Going): Promise<Removed> {
  const { slice, pass } = place;
  const { error } = entry;
  let state: ResourceState = defined({ reconciliationError: error });
  const store = {
    get: () => state,
    set: (next: ResourceState) => void (state = next),
    // The inventory says already that it has to go.
    write: () => Promise.resolve('done' as const),
    whenStored: (callback: () => void) => callback(),
  };
  try {
    if (await isNamesake(entry, place)) return { result: {}, state: { deleted: true } };
    return { result: await reconcileManifest(tombstone, slice, store, pass), state };
  } catch (thrown) {
    const message = failureText(thrown, pass);
    return { result: {}, state: { reconciliationError: message }, failure: { error: thrown } };
  }
}
