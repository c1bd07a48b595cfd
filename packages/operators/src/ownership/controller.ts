import { type Client, ignoreNotFound } from '@kubewright/client';
import {
  annotationsChanged,
  anyOf,
  type Cache,
  type EventNote,
  generationChanged,
  type Manager,
  type Predicate,
  type Reconciler,
  type Request,
  updateStatus,
  watchKind,
  watchMapped,
  watchOwned,
} from '@kubewright/runtime';
import type { Operator } from '../operator.ts';
import { act } from './act.ts';
import {
  type Composition,
  compositionOf,
  COMPOSITIONS,
  GROUP,
  RESOURCE_SLICES,
  type ResourceSlice,
} from './api.ts';
import { clientTarget } from './client-target.ts';
import { decideComposition } from './decide/decide-composition.ts';
import { type MigrationPolicy, policyFromEnvironment } from './policy.ts';
import { reconcileSlice } from './reconcile-slice.ts';
import { compositionDefinition, sliceDefinition } from './schemas.ts';
import type { Target } from './target.ts';

/** Index of slices by the uid of the Composition that they belong to. */
const BY_COMPOSITION = 'composition';
/** Slices at work at the same time: each is a chain of calls that wait for one another. */
const CONCURRENT_SLICES = 8;

/** With what the operator touches the objects that it manages. */
export type OwnershipTools = { readonly target: Target; readonly act: typeof act };

/**
 * Applies the manifests of ResourceSlices and moves field ownership where others' claims keep a removal from
 * happening. Two controllers: one says what a Composition stands for, the other brings the objects of a slice about.
 */
export const ownershipOperator: Operator = {
  name: 'ownership',
  definitions: [compositionDefinition, sliceDefinition],
  rules: [
    { apiGroups: [GROUP], resources: ['compositions', 'resourceslices'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [GROUP], resources: ['compositions/status', 'resourceslices/status'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ],
  addTo: (manager, env) => addControllers(manager, env, { target: clientTarget(manager.client), act }),
};

/** The operator with other tools: what shows that a simulation notices bad ones. */
export function ownershipOperatorWith(tools: (client: Client) => OwnershipTools): Operator {
  return {
    ...ownershipOperator,
    addTo: (manager, env) => addControllers(manager, env, tools(manager.client)),
  };
}

function addControllers(
  manager: Manager,
  env: Readonly<Record<string, string | undefined>>,
  tools: OwnershipTools,
): void {
  manager.cache.addIndex(RESOURCE_SLICES, BY_COMPOSITION, (slice) =>
    [compositionOf(slice)?.uid ?? []].flat(),
  );
  manager.addController({
    name: 'composition',
    reconciler: compositionReconciler(manager),
    sources: [watchKind(COMPOSITIONS), watchOwned(RESOURCE_SLICES, { group: GROUP, kind: 'Composition' })],
  });
  manager.addController({
    name: 'resourceslice',
    reconciler: sliceReconciler(manager, policyFromEnvironment(env), tools),
    sources: [
      watchKind(RESOURCE_SLICES, { predicates: [generationChanged] }),
      watchMapped(COMPOSITIONS, requestsForSlices, {
        predicates: [anyOf(annotationsChanged, slicesChanged)],
      }),
    ],
    maxConcurrentReconciles: CONCURRENT_SLICES,
  });
}

function compositionReconciler(manager: Manager): Reconciler {
  const { cache, clock } = manager;
  return {
    async reconcile(request) {
      const composition = cache.get(COMPOSITIONS, request);
      if (composition === undefined) return {};
      const slices = cache.byIndex(RESOURCE_SLICES, BY_COMPOSITION, composition.metadata.uid);
      const { status } = decideComposition({ composition, slices }, new Date(clock.now()));
      if (status !== undefined) await updateStatus(manager, COMPOSITIONS, composition, status);
      return {};
    },
  };
}

function sliceReconciler(manager: Manager, policy: MigrationPolicy, tools: OwnershipTools): Reconciler {
  const { cache, client, clock, random } = manager;
  const recorder = manager.recorderFor('ownership');
  const notify = (about: ResourceSlice, note: EventNote): void => void recorder.record(about, note);
  return {
    async reconcile(request) {
      const composition = compositionListing(cache, request);
      if (composition === undefined) return {};
      // Not from the cache: its status says what was already told, and is about to be written.
      const slice = await ignoreNotFound(client.get(RESOURCE_SLICES, request));
      if (slice === undefined || slice.metadata.deletionTimestamp !== undefined) return {};
      const deps = { client, clock, random, policy, ...tools, notify };
      const { requeueAfter, error } = await reconcileSlice(slice, composition, deps);
      if (error !== undefined) throw error;
      return requeueAfter === undefined ? {} : { requeueAfter };
    },
  };
}

/** The Composition whose current synthesis lists the slice. A slice that nobody lists is not applied. */
function compositionListing(cache: Cache, request: Request): Composition | undefined {
  const slice = cache.get(RESOURCE_SLICES, request);
  const owner = slice === undefined ? undefined : compositionOf(slice);
  if (owner === undefined) return undefined;
  const composition = cache.get(COMPOSITIONS, { namespace: request.namespace, name: owner.name });
  const isOwner = composition?.metadata.uid === owner.uid;
  if (!isOwner || composition.metadata.deletionTimestamp !== undefined) return undefined;
  return listedSlices(composition).includes(request.name) ? composition : undefined;
}

function listedSlices({ status }: Composition): readonly string[] {
  return (status?.currentSynthesis?.resourceSlices ?? []).flatMap(({ name }) => name ?? []);
}

function requestsForSlices(composition: Composition): readonly Request[] {
  const { namespace = '' } = composition.metadata;
  return listedSlices(composition).map((name) => ({ namespace, name }));
}

const slicesChanged: Predicate<Composition> = (event) =>
  event.type !== 'Update' || listedSlices(event.old).join('/') !== listedSlices(event.object).join('/');
