import { ignoreNotFound } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import {
  addFinalizer,
  decisionReport,
  FINALIZER_RESTORED,
  hasFinalizer,
  type Io,
  type Manager,
  type Reconciler,
  removeFinalizer,
  type Request,
  type Result,
} from '@kubewright/runtime';
import type { Environment } from '../kit/operator.ts';
import {
  CLEANUP_FINALIZER,
  type Composition,
  compositionOf,
  COMPOSITIONS,
  RESOURCE_SLICES,
  type ResourceSlice,
} from './api.ts';
import { otherCompositions } from './holders/other-compositions.ts';
import type { OwnershipTools } from './manifest-steps.ts';
import { createMigrationMetrics } from './migration-metrics.ts';
import { passSettings } from './pass-settings.ts';
import type { SlicePass } from './reconcile-manifest.ts';
import { reconcileSlice, type SliceScene } from './reconcile-slice.ts';
import { isInShard, isNamespaceInShard, type Shard } from './shard.ts';
import { isLeftover, otherSlices, sliceTask } from './slice-task.ts';
import { BY_COMPOSITION } from './watched.ts';

/** Looks again when the cache has what it lacks now, even if no event reports that. */
const CACHE_LAG_MS = 1000;
/** Adds the finalizer again so long after a webhook kept it off: no event reports that the webhook is gone. */
const FINALIZER_MS = 60_000;

type Parts = { readonly env: Environment; readonly shard: Shard; readonly tools: OwnershipTools };

/** Brings the objects of the shard's slices about, and prunes and deletes what has to go. */
export function sliceReconciler(manager: Manager, { env, shard, tools }: Parts): Reconciler {
  const { cache, client, clock, random } = manager;
  const settings = passSettings(env);
  const recorder = manager.recorderFor('ownership');
  const report = decisionReport(manager.registry);
  const metrics = createMigrationMetrics(manager, settings.policy);
  const act: OwnershipTools['act'] = (action, api) => metrics.measure(action, () => tools.act(action, api));
  const passTools = { api: tools.api, act, ...settings };
  return {
    async reconcile(request, context) {
      if (!isNamespaceInShard(shard, request.namespace)) return {};
      const io = { client, cache, clock, random, ...context };
      return reconcile({ request, io, tools: passTools, recorder, report, metrics }, shard);
    },
  };
}

async function reconcile(pass: SlicePass, shard: Shard): Promise<Result> {
  const { request, io } = pass;
  const cached = io.cache.get(RESOURCE_SLICES, request);
  const composition = cached === undefined ? undefined : await compositionFor(cached, request, io);
  if (cached === undefined || isElsewhere(composition, shard)) return {};
  if (sliceTask(cached, composition) === 'nothing') return {};
  // Not from the cache: the status records what was already reported, and is about to be written.
  const slice = await ignoreNotFound(io.client.get(RESOURCE_SLICES, request));
  if (slice === undefined) return {};
  const task = sliceTask(slice, composition);
  if (task === 'nothing') return {};
  if (task === 'release' || composition === undefined) return release(slice, io);
  const held = task === 'apply' ? await addFinalizer(io, RESOURCE_SLICES, slice, CLEANUP_FINALIZER) : slice;
  const others = await othersOf(slice, cached, composition, io);
  const scene = {
    slice: held,
    composition,
    task,
    siblings: siblingsOf(slice, composition, io),
    others,
    listOthers: () => listOthers(slice, composition, io),
    elsewhere: otherCompositions(composition, io),
  };
  return finish(scene, await reconcileSlice(scene, pass), io);
}

/** A slice whose Composition is gone has no labels to go by: any shard of its namespace releases it. */
function isElsewhere(composition: Composition | undefined, shard: Shard): boolean {
  return composition !== undefined && !isInShard(shard, composition);
}

/** Where the cache may be behind and that would cost objects, the Composition is read from the server. */
async function compositionFor(
  slice: Stored<ResourceSlice>,
  { namespace }: Request,
  { cache, client }: Io,
): Promise<Composition | undefined> {
  const owner = compositionOf(slice);
  if (owner === undefined) return undefined;
  const key = { ...(namespace === undefined ? {} : { namespace }), name: owner.name };
  const composition = cache.get(COMPOSITIONS, key);
  const task = sliceTask(slice, composition);
  const isIrrevocable = task === 'release' || task === 'prune';
  return isIrrevocable ? ignoreNotFound(client.get(COMPOSITIONS, key)) : composition;
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

function siblingsOf(
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

async function finish(
  { slice, others, task, composition }: SliceScene,
  { result, isOver }: Awaited<ReturnType<typeof reconcileSlice>>,
  io: Io,
): Promise<Result> {
  if (others === undefined) return { requeueAfter: CACHE_LAG_MS, ...result };
  if (task === 'apply' && !hasFinalizer(slice, CLEANUP_FINALIZER))
    return { ...result, requeueAfter: Math.min(result.requeueAfter ?? FINALIZER_MS, FINALIZER_MS) };
  return isOver ? end(slice, composition, result, io) : result;
}

/** Nothing of the slice is left to be deleted. */
async function end(
  slice: Stored<ResourceSlice>,
  composition: Composition,
  result: Result,
  io: Io,
): Promise<Result> {
  if (isLeftover(slice, composition)) return deleteSlice(slice, io);
  if (slice.metadata.deletionTimestamp === undefined) return result;
  const now = await ignoreNotFound(io.client.get(RESOURCE_SLICES, { ...keyOfSlice(slice) }));
  return now === undefined ? {} : release(now, io);
}

function keyOfSlice({ metadata: { name, namespace } }: Stored<ResourceSlice>) {
  return namespace === undefined ? { name } : { name, namespace };
}

/** A garbage collector may have been faster, and somebody else's finalizer may keep it. */
async function deleteSlice(slice: Stored<ResourceSlice>, { client }: Io): Promise<Result> {
  const preconditions = { uid: slice.metadata.uid };
  await ignoreNotFound(client.delete(RESOURCE_SLICES, keyOfSlice(slice), { preconditions }));
  return {};
}

async function release(slice: Stored<ResourceSlice>, io: Io): Promise<Result> {
  const left = await removeFinalizer(io, RESOURCE_SLICES, slice, CLEANUP_FINALIZER);
  return left !== undefined && hasFinalizer(left, CLEANUP_FINALIZER) ? FINALIZER_RESTORED : {};
}
