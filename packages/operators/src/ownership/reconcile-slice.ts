import { ApiError } from '@kubewright/client';
import { defined, jsonEqual, type Stored } from '@kubewright/kube';
import type { Result } from '@kubewright/runtime';
import type { Composition, ManifestState, ResourceSlice } from './api.ts';
import { Turns } from './decide/turns.ts';
import { inventoryEntry, mergeInventory, objectKey } from './inventory.ts';
import { type Mentioned, prune } from './prune.ts';
import { type DesiredManifest, readManifest } from './read-manifest.ts';
import { reconcileManifest, type SlicePass } from './reconcile-manifest.ts';
import { type RecordGuard, recordGuard } from './record-guard.ts';
import { currentStates, type SliceStates, sliceStates } from './slice-states.ts';

/** What a slice is part of. */
export type SliceScene = {
  readonly slice: Stored<ResourceSlice>;
  readonly composition: Composition;
  readonly task: 'apply' | 'delete' | 'prune';
  /** All other slices of the Composition, those of former syntheses too, as far as the cache has them. */
  readonly siblings: readonly ResourceSlice[];
  /** The other slices of the synthesis; undefined while not all of them are known. */
  readonly others: readonly Stored<ResourceSlice>[] | undefined;
  /** The same from the server. */
  readonly listOthers: () => Promise<SliceScene['others']>;
};

/** How a reconcile of a slice ended. `isOver`: none of its objects is left to be deleted. */
export type SliceResult = { readonly result: Result; readonly isOver: boolean };

type Item = { readonly index: number; readonly manifest: DesiredManifest };
type Place = SliceScene & {
  readonly states: SliceStates;
  readonly pass: SlicePass;
  readonly guard: RecordGuard;
};

const LATER: Result = { requeue: true, problem: 'a webhook changes the status' };

/**
 * Reconciles all objects of a slice, one after the other, each when its group is due, and records the result of each. One
 * failure does not block the others; rejects with the first. Ends at once when the slice has changed or is gone. Writes
 * nothing to the slice when nothing changed.
 */
export async function reconcileSlice(scene: SliceScene, pass: SlicePass): Promise<SliceResult> {
  const states = sliceStates(scene.slice, pass.io);
  const place: Place = { ...scene, states, pass, guard: recordGuard(scene.slice, pass.io) };
  const items = scene.task === 'prune' ? [] : readItems(place);
  const entries =
    scene.task === 'apply' ? items.flatMap(({ manifest }) => inventoryEntry(manifest) ?? []) : [];
  const elsewhere = scene.siblings.flatMap(({ status }) => status?.inventory ?? []);
  const inventory = mergeInventory(states.inventory(), entries, elsewhere);
  const isNews = !jsonEqual(inventory, states.inventory());
  states.setInventory(inventory);
  // Before anything is applied: what is not on record would never be deleted.
  if (isNews && (await states.write()) === 'undone') return { result: LATER, isOver: false };
  const { results, failure } = await reconcileItems(items, place);
  const mentioned = await mentionedNow(items, place);
  const pruned = mentioned === undefined ? [] : await prune(mentioned, place);
  const recorded = await states.write();
  if (failure !== undefined) throw failure.error;
  const result = recorded === 'done' ? earliest([...results, ...pruned]) : LATER;
  return { result, isOver: recorded === 'done' && isOver(place) };
}

/** The manifests that can be read. The others are reported; nothing of theirs was applied, so nothing has to go. */
function readItems({ slice, composition, states, task }: Place): readonly Item[] {
  return (slice.spec?.resources ?? []).flatMap((resource, index) => {
    const manifest = readManifest(resource, composition);
    if (typeof manifest !== 'string') return [{ index, manifest: asWanted(manifest, task) }];
    if (task === 'delete') states.set(index, { ...states.of(index), reconciled: true, deleted: true });
    else states.fail(index, manifest);
    return [];
  });
}

function asWanted(manifest: DesiredManifest, task: Place['task']): DesiredManifest {
  return task === 'delete' ? { ...manifest, deleted: true } : manifest;
}

type Reconciled = { readonly results: readonly Result[]; readonly failure?: { readonly error: unknown } };

async function reconcileItems(items: readonly Item[], place: Place): Promise<Reconciled> {
  const turns = new Turns(place.task === 'delete');
  for (const other of place.others ?? []) seeAll(other, place, turns);
  const results: Result[] = [];
  let failure: { readonly error: unknown } | undefined;
  for (const item of turns.order(items)) {
    const { index, manifest } = item;
    try {
      if (turns.isDue(manifest)) results.push(await reconcileItem(item, place));
    } catch (error) {
      // Only a failed call: anything else is a bug, and must not end up in a status.
      if (!(error instanceof ApiError)) throw error;
      place.states.fail(index, error.message);
      failure ??= { error };
    }
    turns.saw({ manifest, state: place.states.of(index) });
  }
  return { results, ...(failure === undefined ? {} : { failure }) };
}

function seeAll(other: ResourceSlice, { composition }: Place, turns: Turns): void {
  const states = currentStates(other);
  for (const [index, resource] of (other.spec?.resources ?? []).entries()) {
    const manifest = readManifest(resource, composition);
    if (typeof manifest !== 'string') turns.saw({ manifest, state: states[index] ?? {} });
  }
}

function earliest(results: readonly Result[]): Result {
  const again = results.find(({ requeue }) => requeue === true);
  if (again !== undefined) return again;
  const waits = results.flatMap(({ requeueAfter }) => requeueAfter ?? []);
  return waits.length === 0 ? {} : { requeueAfter: Math.min(...waits) };
}

function isOver({ task, slice, states }: Place): boolean {
  if (states.inventory().length > 0 || task === 'apply') return false;
  const resources = slice.spec?.resources ?? [];
  return task === 'prune' || resources.every((_manifest, index) => states.of(index).deleted === true);
}

/** What slices mention: by the cache if that keeps all objects, else by the server, because an object is deleted for it. */
async function mentionedNow(items: readonly Item[], place: Place): Promise<Mentioned | undefined> {
  const mentioned = mentionedBy(items, place, place.others);
  if (mentioned === undefined) return undefined;
  const isMentioned = (key: string): boolean => mentioned.own.has(key) || mentioned.others.has(key);
  const isComplete = place.states.inventory().every((entry) => isMentioned(objectKey(entry)));
  return isComplete ? mentioned : mentionedBy(items, place, await place.listOthers());
}

/** Undefined: a manifest cannot be read, or a slice is not known yet, and nothing may be taken for dropped. */
function mentionedBy(
  items: readonly Item[],
  place: Place,
  others: SliceScene['others'],
): Mentioned | undefined {
  const isPartial = place.task !== 'prune' && items.length < (place.slice.spec?.resources ?? []).length;
  const wanted = wantedBy(others, place);
  if (isPartial || wanted === undefined) return undefined;
  return {
    own: new Map(items.filter(mentions).map(({ index, manifest }) => [keyOf(manifest), index])),
    others: wanted,
  };
}

/** A Patch does not keep the object that it changes. */
function mentions({ manifest }: Pick<Item, 'manifest'>): boolean {
  return manifest.patch === undefined;
}

type Wanted = readonly [key: string, how: 'recorded' | 'pending'];

/** Undefined: not all of it can be read. */
function wantedBy(others: SliceScene['others'], place: Place): Mentioned['others'] | undefined {
  if (others === undefined) return undefined;
  const all = others.map((other) => wantedIn(other, place));
  const known = all.filter((wanted) => wanted !== undefined).flat();
  if (all.includes(undefined)) return undefined;
  // What one of them has on record is nowhere pending.
  return new Map([
    ...known.filter(([, how]) => how === 'pending'),
    ...known.filter(([, how]) => how !== 'pending'),
  ]);
}

function wantedIn({ spec, status }: ResourceSlice, { composition }: Place): readonly Wanted[] | undefined {
  const resources = spec?.resources ?? [];
  const manifests = resources
    .map((resource) => readManifest(resource, composition))
    .filter((manifest) => typeof manifest !== 'string');
  if (manifests.length < resources.length) return undefined;
  const recorded = new Set((status?.inventory ?? []).map((entry) => objectKey(entry)));
  const isApplied = composition.metadata.deletionTimestamp === undefined;
  return manifests
    .filter((manifest) => !manifest.deleted && mentions({ manifest }))
    .map((manifest) => {
      const key = keyOf(manifest);
      const isPending = isApplied && inventoryEntry(manifest) !== undefined && !recorded.has(key);
      return [key, isPending ? 'pending' : 'recorded'];
    });
}

function keyOf({ object: { apiVersion, kind, metadata } }: DesiredManifest): string {
  return objectKey({ apiVersion, kind, ...metadata });
}

function reconcileItem({ index, manifest }: Item, { slice, states, pass, guard }: Place): Promise<Result> {
  const key = keyOf(manifest);
  const store = {
    get: () => ({ ...states.of(index), ...defined({ applied: states.applied(key) }) }),
    set({ applied, ...state }: ManifestState) {
      states.set(index, state);
      if (mentions({ manifest })) states.setApplied(key, applied);
    },
    write: () => states.write().catch((error: unknown) => Promise.reject(guard.explain(error))),
  };
  const tools = { ...pass.tools, act: guard.guarded(pass.tools.act, key) };
  return reconcileManifest(manifest, slice, store, { ...pass, tools });
}
