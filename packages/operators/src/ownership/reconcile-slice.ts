import { ApiError } from '@kubewright/client';
import { defined, jsonEqual, type Stored } from '@kubewright/kube';
import type { Result } from '@kubewright/runtime';
import type { Composition, InventoryEntry, ManifestState, ResourceSlice } from './api.ts';
import { type Precedence, precedenceOf } from './decide/precedence.ts';
import { POLL_MS } from './decide/resource-decision.ts';
import { type Placed, Turns } from './decide/turns.ts';
import { sharedManifest } from './decide/shared-manifest.ts';
import type { OtherCompositions } from './holders/other-compositions.ts';
import { isFailOpen, type OwnershipTools } from './manifest-steps.ts';
import { failureText } from './failure-text.ts';
import { entryOf, inventoryEntry, manifestKey, mergeInventory } from './inventory.ts';
import { type Item, mentionedNow } from './mentioned.ts';
import { prune, type Pruned } from './prune.ts';
import { type DesiredManifest, readManifest } from './read-manifest.ts';
import { readySince } from './readiness.ts';
import { reconcileManifest, type SlicePass } from './reconcile-manifest.ts';
import { restOfItem } from './rest-of-item.ts';
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
  /** What other Compositions say of the objects. */
  readonly elsewhere: OtherCompositions;
  /** The slice is the cache's: before something is written or deleted for it, it is read. */
  readonly isCached?: boolean;
};

/** How a reconcile of a slice ended. `isOver`: none of its objects is left to be deleted. */
export type SliceResult = {
  readonly result: Result;
  readonly isOver: boolean;
  /** The resourceVersion of the slice in the end. */
  readonly version: string;
  /** All of its objects are at rest: nothing is to be done until something changes. */
  readonly isAtRest: boolean;
};

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
export async function reconcileSlice(scene: SliceScene, given: SlicePass): Promise<SliceResult> {
  const { slice, elsewhere, isCached } = scene;
  const pass = { ...given, elsewhere };
  const states = sliceStates(slice, pass.io);
  const guard = recordGuard({ slice, elsewhere, ...defined({ isCached }), version: states.version }, pass.io);
  try {
    return await reconcileAll({ ...scene, states, pass, guard });
  } catch (error) {
    // It has failed already, and is tried again.
    await guard.settle().catch(() => undefined);
    throw error;
  }
}

async function reconcileAll(place: Place): Promise<SliceResult> {
  const { states, pass, guard } = place;
  const items = place.task === 'prune' ? [] : readItems(place);
  const selected = items.filter(({ index }) => isSelected(index, place));
  if ((await recordInAdvance(selected, place)) === 'undone') return later(states);
  const reconciled = await reconcileItems(selected, place);
  const pruned = await pruneAll(items, place);
  const recorded = await states.write();
  await guard.settle();
  const failure = reconciled.failure ?? pruned.failure;
  if (failure !== undefined) throw failure.error;
  if (recorded === 'undone') return later(states);
  return {
    result: earliest([...reconciled.results, ...pruned.results]),
    isOver: isOver(place),
    version: states.version(),
    isAtRest: pruned.results.length === 0 && pass.rest?.resting === selected.length,
  };
}

function later(states: SliceStates): SliceResult {
  return { result: LATER, isOver: false, version: states.version(), isAtRest: false };
}

/** Before anything is applied: what is not on record would never be deleted. */
async function recordInAdvance(
  items: readonly Item[],
  { task, siblings, states }: Place,
): Promise<'done' | 'undone'> {
  const entries = task === 'apply' ? items.flatMap((item) => entryInAdvance(item, states)) : [];
  const elsewhere = siblings.flatMap(({ status }) => status?.inventory ?? []);
  const inventory = mergeInventory(states.inventory(), entries, elsewhere);
  const isNews = !jsonEqual(inventory, states.inventory());
  states.setInventory(inventory);
  return isNews ? states.write() : 'done';
}

/** A manifest that cannot be read may mention anything, unless all of them go. */
async function pruneAll(items: readonly Item[], place: Place): Promise<Pruned> {
  const isWhole = place.task !== 'apply' || items.length === (place.slice.spec?.resources ?? []).length;
  const mentioned = await mentionedNow(isWhole ? items : undefined, place);
  return mentioned === undefined ? { results: [] } : prune(mentioned, place);
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
  return task === 'delete' ? { ...manifest, deleted: true, isDropped: true } : manifest;
}

/** Whether the process works on a manifest (`RESOURCE_FILTER`). */
function isSelected(index: number, { slice, composition, pass }: Place): boolean {
  return pass.tools.selects?.(slice.spec?.resources?.[index]?.manifest ?? '', composition) ?? true;
}

/**
 * What is put on record before anything is applied. What did not exist and did not have to, because it is disabled or
 * failed open, is put on record only when it is applied.
 */
function entryInAdvance({ index, manifest }: Item, states: SliceStates): readonly InventoryEntry[] {
  return states.of(index).deleted === true ? [] : [inventoryEntry(manifest) ?? []].flat();
}

type Reconciled = { readonly results: readonly Result[]; readonly failure?: { readonly error: unknown } };

async function reconcileItems(items: readonly Item[], place: Place): Promise<Reconciled> {
  const { turns, precedence } = orderOf(items, place);
  const results: Result[] = [];
  let failure: { readonly error: unknown } | undefined;
  for (const item of turns.order(items)) {
    const { index, manifest } = item;
    try {
      if (turns.isDue(manifest) && isOpen(manifest, precedence, place))
        results.push(await reconcileItem(item, precedence, place));
    } catch (error) {
      if (noteFailure(item, failureText(error, place.pass), place)) failure ??= { error };
      else results.push({ requeueAfter: POLL_MS });
      // What failed may succeed the next time: what is of a later group waits for that.
      if (error instanceof ApiError && error.retryable) turns.saw({ manifest, state: {} });
    }
    turns.saw({ manifest, state: place.states.of(index) });
  }
  return { results, ...(failure === undefined ? {} : { failure }) };
}

/** Whose turn it is, by what all slices of the synthesis say before this one is worked on. */
function orderOf(
  items: readonly Item[],
  place: Place,
): { readonly turns: Turns; readonly precedence: Precedence } {
  const turns = new Turns(place.task === 'delete');
  const elsewhere = (place.others ?? []).flatMap((other) => placedIn(other, place));
  for (const placed of elsewhere) turns.saw(placed);
  const own = items.map(({ index, manifest }) => ({ manifest, state: place.states.of(index) }));
  return { turns, precedence: precedenceOf([...elsewhere, ...own]) };
}

/**
 * Whether the failure of a call is one of the manifest. Where it fails open, it is not known whether the object exists, so
 * it is ready only if nothing is to be checked.
 */
function noteFailure({ index, manifest }: Item, message: string, { states, pass }: Place): boolean {
  if (!isFailOpen(manifest, pass.tools)) {
    states.fail(index, message);
    return true;
  }
  const { reconciliationError: _error, ...state } = states.of(index);
  const ready = state.ready ?? readySince(manifest.readiness, undefined, new Date(pass.io.clock.now()));
  states.set(index, { ...state, reconciled: true, ...defined({ ready }) });
  return false;
}

/** A Patch waits until all manifests are known: one of them may have precedence. */
function isOpen(manifest: DesiredManifest, { isSuperseded }: Precedence, { task, others }: Place): boolean {
  if (task === 'delete') return true;
  return !isSuperseded(manifest) && (manifest.patch === undefined || others !== undefined);
}

/** The manifests of another slice that can be read and that the process works on. */
function placedIn(other: ResourceSlice, { composition, pass }: Place): readonly Placed[] {
  const states = currentStates(other);
  return (other.spec?.resources ?? []).flatMap((resource, index) => {
    const manifest = readManifest(resource, composition);
    if (typeof manifest === 'string' || pass.tools.selects?.(resource.manifest ?? '', composition) === false)
      return [];
    return [{ manifest, state: states[index] ?? {} }];
  });
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

async function reconcileItem(item: Item, { prevails }: Precedence, place: Place): Promise<Result> {
  const { index, manifest } = item;
  const { slice, states, pass, guard, elsewhere } = place;
  const key = manifestKey(manifest);
  const isPatch = manifest.patch !== undefined;
  const rivals = manifest.deleted ? [] : elsewhere.manifestsOf(key);
  const rest = pass.rest && restOfItem(item, rivals.length > 0, place, pass.rest);
  const known = rest && (rest.known() ?? (await rest.applied()));
  if (known !== undefined) return known;
  const store = {
    get: () => ({ ...states.of(index), ...defined({ applied: states.applied(key) }) }),
    set({ applied, ...state }: ManifestState) {
      states.set(index, state);
      if (!isPatch) states.setApplied(key, applied);
    },
    whenStored: states.whenStored,
    write: () => states.write().catch((error: unknown) => Promise.reject(guard.explain(error))),
  };
  const act = guard.guarded(recorded(pass.tools.act, manifest, place), key);
  const ranked = isPatch
    ? { ...manifest, prevails: prevails(manifest) && !elsewhere.hasApplied(key) }
    : sharedManifest(manifest, rivals);
  return reconcileManifest(ranked, slice, store, { ...pass, tools: { ...pass.tools, act } }, rest?.note);
}

/** Puts an object on record before it is applied, if it is not: its overrides may have changed their mind. */
function recorded(
  act: OwnershipTools['act'],
  manifest: DesiredManifest,
  { states }: Place,
): OwnershipTools['act'] {
  const key = manifestKey(manifest);
  return async (action, api) => {
    const applies = action.type === 'apply' || action.type === 'create' || action.type === 'replace';
    if (applies && !states.isOnRecord(key)) {
      states.setInventory([...states.inventory(), entryOf(manifest)]);
      if ((await states.write()) === 'undone') return { outcome: 'conflict' };
    }
    return act(action, api);
  };
}
