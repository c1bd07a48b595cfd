import { ignoreNotFound } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import {
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
import type { OwnershipTools } from './manifest-steps.ts';
import { createMigrationMetrics } from './migration-metrics.ts';
import { passSettings } from './pass-settings.ts';
import type { SlicePass } from './reconcile-manifest.ts';
import { reconcileSlice, type SliceScene } from './reconcile-slice.ts';
import { BY_OBJECT } from './holders/wants-objects.ts';
import { isCacheCurrent, ownerDigest, RestPass, type RestTools } from './rest/rest-pass.ts';
import type { SliceRest } from './rest/rest-memory.ts';
import { textDigest } from './rest/text-digest.ts';
import { isInShard, isNamespaceInShard, type Shard } from './shard.ts';
import { sceneOf, siblingsOf } from './scene-of.ts';
import { isLeftover, sliceTask } from './slice-task.ts';

/** Looks again when the cache has what it lacks now, even if no event reports that. */
const CACHE_LAG_MS = 1000;
/** Adds the finalizer again so long after a webhook kept it off: no event reports that the webhook is gone. */
const FINALIZER_MS = 60_000;

type Parts = {
  readonly env: Environment;
  readonly shard: Shard;
  readonly tools: OwnershipTools;
  readonly rest: RestTools;
};

/** Brings the objects of the shard's slices about, and prunes and deletes what has to go. */
export function sliceReconciler(manager: Manager, { env, shard, tools, rest }: Parts): Reconciler {
  const { cache, client, clock, random } = manager;
  const settings = passSettings(env);
  const recorder = manager.recorderFor('ownership');
  const report = decisionReport(manager.registry);
  const metrics = createMigrationMetrics(manager, settings.policy);
  const act: OwnershipTools['act'] = (action, api) => metrics.measure(action, () => tools.act(action, api));
  const passTools = { api: tools.api, act, ...settings };
  return {
    async reconcile(request, context) {
      const isTriggered = rest.memory.takeTrigger(request);
      if (!isNamespaceInShard(shard, request.namespace)) return {};
      const io = { client, cache, clock, random, ...context };
      const pass = { request, io, tools: passTools, recorder, report, metrics };
      try {
        return await reconcile(pass, { shard, rest, isTriggered });
      } catch (error) {
        // The next reconcile is for the same change, and reads the slice.
        if (isTriggered) rest.memory.noteTrigger(request);
        rest.memory.readAgain(request);
        throw error;
      }
    },
  };
}

type Around = { readonly shard: Shard; readonly rest: RestTools; readonly isTriggered: boolean };

async function reconcile(pass: SlicePass, around: Around): Promise<Result> {
  const { request, io } = pass;
  const cached = io.cache.get(RESOURCE_SLICES, request);
  if (cached === undefined) around.rest.memory.forget(request);
  const composition = cached === undefined ? undefined : await compositionFor(cached, request, io);
  if (cached === undefined || isElsewhere(composition, around.shard)) return {};
  const seen = { cached, composition };
  const task = sliceTask(cached, composition);
  if (task === 'nothing') return {};
  return task === 'apply' && composition !== undefined
    ? reconcileKnown(cached, composition, pass, around)
    : reconcileRead(seen, pass, around);
}

/** Of what is remembered, nothing is looked at, and the slice is not read. */
async function reconcileKnown(
  cached: Stored<ResourceSlice>,
  composition: Composition,
  pass: SlicePass,
  around: Around,
): Promise<Result> {
  const { io } = pass;
  const seen = { cached, composition };
  const known = knownOf(seen, pass, around);
  const unchanged = known && wholeAtRest(cached, composition, known, around.rest, io);
  if (unchanged !== undefined) return unchanged;
  const isCached = known !== undefined && isCacheCurrent(cached, known);
  return isCached
    ? reconcileScene({ ...(await sceneOf(cached, cached, composition, io)), isCached: true }, pass, around)
    : reconcileRead(seen, pass, around);
}

type Seen = { readonly cached: Stored<ResourceSlice>; readonly composition: Composition | undefined };

function knownOf(
  { cached }: Seen,
  { request }: SlicePass,
  { rest, isTriggered }: Around,
): SliceRest | undefined {
  const known = rest.memory.of(request, cached.metadata.uid);
  if (known !== undefined && isTriggered) known.reconciledAt = rest.monotonic();
  return known;
}

/** Not from the cache: the status records what was already reported, and is about to be written. */
async function reconcileRead(
  { cached, composition }: Seen,
  pass: SlicePass,
  around: Around,
): Promise<Result> {
  const { request, io } = pass;
  const slice = await ignoreNotFound(io.client.get(RESOURCE_SLICES, request));
  if (slice === undefined) return {};
  const task = sliceTask(slice, composition);
  if (task === 'nothing') return {};
  if (task === 'release' || composition === undefined) return release(slice, io);
  const scene = await sceneOf(slice, cached, composition, io);
  return task === 'apply'
    ? reconcileScene(scene, pass, around)
    : finish(scene, await reconcileSlice(scene, pass), io);
}

/** Applies the manifests of a slice, but for the objects that are as the last look left them. */
async function reconcileScene(
  scene: SliceScene,
  pass: SlicePass,
  { rest, isTriggered }: Around,
): Promise<Result> {
  const { slice, composition, siblings } = scene;
  const { request, io } = pass;
  const known = rest.memory.begin(request, slice.metadata.uid, ownerDigest(composition));
  if (isTriggered) known.reconciledAt = rest.monotonic();
  const restPass = new RestPass(rest, { request, slice: known, composition });
  const ended = await reconcileSlice(scene, { ...pass, rest: restPass });
  known.version = ended.version;
  const result = await finish(scene, ended, io);
  const isWhole = ended.isAtRest && scene.others !== undefined && hasFinalizer(slice, CLEANUP_FINALIZER);
  if (isWhole) restPass.noteWhole(standOf(composition, siblings, ended.version), result);
  return result;
}

/** The result of the last reconcile, where nothing has changed since: without a look at the manifests. */
function wholeAtRest(
  cached: Stored<ResourceSlice>,
  composition: Composition,
  known: SliceRest,
  rest: RestTools,
  io: Io,
): Result | undefined {
  const isShared = (key: string): boolean =>
    io.cache
      .byIndex(RESOURCE_SLICES, BY_OBJECT, key)
      .some((slice) => compositionOf(slice)?.uid !== composition.metadata.uid);
  const stand = standOf(composition, siblingsOf(cached, composition, io), cached.metadata.resourceVersion);
  const result = new RestPass(rest, { request: cached.metadata, slice: known, composition }).whole(stand);
  return result !== undefined && [...known.objects.keys()].some(isShared) ? undefined : result;
}

/** The versions of all by which a slice is reconciled, but for its objects. */
function standOf(composition: Composition, siblings: readonly ResourceSlice[], version: string): string {
  const others = siblings.map(
    ({ metadata: { uid = '', resourceVersion = '' } }) => `${uid} ${resourceVersion}`,
  );
  const { uid = '', resourceVersion = '' } = composition.metadata;
  return textDigest([version, uid, resourceVersion, ...others.toSorted()].join('/'));
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
