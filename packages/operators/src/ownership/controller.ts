import { ignoreNotFound } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import {
  annotationsChanged,
  anyOf,
  type Cache,
  decisionReport,
  decisions,
  generationChanged,
  type Manager,
  type Predicate,
  type Reconciler,
  type Request,
  type Steps,
  watchKind,
  watchMapped,
  watchOwned,
} from '@kubewright/runtime';
import { anyKindApi } from '../kit/any-kind-api.ts';
import type { Environment, OperatorParts } from '../kit/operator.ts';
import { act } from './act.ts';
import {
  type Composition,
  compositionOf,
  COMPOSITIONS,
  type CompositionStatus,
  GROUP,
  RESOURCE_SLICES,
  type ResourceSlice,
} from './api.ts';
import { decideComposition, type ObservedComposition } from './decide/decide-composition.ts';
import type { OwnershipTools } from './manifest-steps.ts';
import { policyFromEnvironment } from './migration-policy.ts';
import { reconcileSlice } from './reconcile-slice.ts';

/** Index of slices by the uid of their Composition. */
const BY_COMPOSITION = 'composition';
/** Slices reconciled concurrently: each is a chain of sequential calls. */
const CONCURRENT_SLICES = 8;

/** Both controllers share one service account. */
export const ownershipParts: OperatorParts = {
  resources: [COMPOSITIONS, RESOURCE_SLICES],
  parts: [
    {
      account: 'ownership',
      rules: [
        {
          apiGroups: [GROUP],
          resources: ['compositions', 'resourceslices'],
          verbs: ['get', 'list', 'watch'],
        },
        { apiGroups: [GROUP], resources: ['compositions/status', 'resourceslices/status'], verbs: ['patch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      ],
      verbsOnAnyKind: ['get', 'create', 'patch', 'delete'],
      add: (manager, env) => addOwnership(manager, env),
    },
  ],
};

/** Adds the two controllers. Only simulations replace `tools`, with broken variants that they must catch. */
export function addOwnership(
  manager: Manager,
  env: Environment,
  tools: OwnershipTools = { api: anyKindApi(manager.client), act },
): void {
  manager.cache.addIndex(RESOURCE_SLICES, BY_COMPOSITION, (slice) =>
    [compositionOf(slice)?.uid ?? []].flat(),
  );
  manager.addController({
    name: 'composition',
    reconciler: decisions(manager, COMPOSITIONS, compositionSteps, { component: 'ownership' }),
    sources: [watchKind(COMPOSITIONS), watchOwned(RESOURCE_SLICES, COMPOSITIONS)],
  });
  manager.addController({
    name: 'resourceslice',
    reconciler: sliceReconciler(manager, env, tools),
    sources: [
      watchKind(RESOURCE_SLICES, { predicates: [anyOf(generationChanged, noLongerReconciled)] }),
      watchMapped(COMPOSITIONS, requestsForSlices, {
        predicates: [anyOf(annotationsChanged, slicesChanged)],
      }),
    ],
    maxConcurrentReconciles: CONCURRENT_SLICES,
  });
}

type Observed = ObservedComposition & { readonly composition: Stored<Composition> };

const compositionSteps: Steps<Observed, never, CompositionStatus, Composition> = {
  observe(request, { cache }) {
    const composition = cache.get(COMPOSITIONS, request);
    if (composition === undefined) return undefined;
    const slices = cache.byIndex(RESOURCE_SLICES, BY_COMPOSITION, composition.metadata.uid);
    return { composition, slices };
  },
  decide: decideComposition,
  subject: ({ composition }) => composition,
};

function sliceReconciler(manager: Manager, env: Environment, tools: OwnershipTools): Reconciler {
  const { cache, client, clock, random } = manager;
  const policy = policyFromEnvironment(env);
  const recorder = manager.recorderFor('ownership');
  const report = decisionReport(manager.registry);
  return {
    async reconcile(request, context) {
      const composition = compositionListing(cache, request);
      if (composition === undefined) return {};
      // Not from the cache: the status records what was already reported, and is about to be written.
      const slice = await ignoreNotFound(client.get(RESOURCE_SLICES, request));
      if (slice === undefined || slice.metadata.deletionTimestamp !== undefined) return {};
      const io = { client, cache, clock, random, ...context };
      return reconcileSlice(slice, composition, {
        request,
        io,
        tools: { ...tools, policy },
        recorder,
        report,
      });
    },
  };
}

/** The Composition whose current synthesis lists the slice. A slice that is not listed is not applied. */
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
  const { namespace } = composition.metadata;
  return listedSlices(composition).map((name) => ({ namespace, name }));
}

/**
 * The status says that an object that was reconciled no longer is. A stopping instance may have written that about a
 * transient error; only a reconcile corrects it.
 */
export const noLongerReconciled: Predicate<ResourceSlice> = (event) =>
  event.type === 'Update' &&
  (event.old.status?.resources ?? []).some(
    ({ reconciled }, index) =>
      reconciled === true && event.object.status?.resources?.[index]?.reconciled !== true,
  );

const slicesChanged: Predicate<Composition> = (event) =>
  event.type !== 'Update' || listedSlices(event.old).join('/') !== listedSlices(event.object).join('/');
