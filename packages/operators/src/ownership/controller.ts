import {
  annotationsChanged,
  anyOf,
  decisions,
  generationChanged,
  type Cache,
  type Manager,
  type Request,
  type Source,
  watchKind,
  watchMapped,
  watchOwned,
} from '@kubewright/runtime';
import type { Stored } from '@kubewright/kube';
import { anyKindApi } from '../kit/any-kind-api.ts';
import type { Environment, OperatorParts } from '../kit/operator.ts';
import { act } from './act.ts';
import { ownershipAlerts } from './alerts.ts';
import { compositionOf, COMPOSITIONS, GROUP, RESOURCE_SLICES } from './api.ts';
import { compositionSteps } from './composition-steps.ts';
import { BY_OBJECT } from './holders/wants-objects.ts';
import type { OwnershipTools } from './manifest-steps.ts';
import { createRest } from './rest/create-rest.ts';
import { entersShard, type Shard, shardFromEnvironment } from './shard.ts';
import { addSynthesisIndexes } from './synthesis/synthesis-steps.ts';
import { SYNTHESIS_PODS, type Synthesizer, SYNTHESIZERS } from './synthesis/synthesizers.ts';
import { sliceReconciler } from './slice-reconciler.ts';
import {
  BY_COMPOSITION,
  BY_DEPENDENCY,
  claimsChanged,
  deletionBegan,
  deletionMovedOn,
  dependencyKeys,
  isGone,
  matterToOthers,
  noLongerReconciled,
  type ObjectsOf,
  objectsOfSlices,
  progressed,
  relatives,
  slicesBeside,
  slicesChanged,
  slicesOf,
  slicesSharing,
  synthesizedBy,
  waitingBeside,
} from './watched.ts';

/** Slices reconciled concurrently: each is a chain of sequential calls. */
const CONCURRENT_SLICES = 8;

/** Both controllers share one service account. */
export const ownershipParts: OperatorParts = {
  resources: [COMPOSITIONS, RESOURCE_SLICES, SYNTHESIZERS],
  alerts: ownershipAlerts,
  parts: [
    {
      account: 'ownership',
      rules: [
        {
          apiGroups: [GROUP],
          resources: ['compositions', 'resourceslices'],
          verbs: ['get', 'list', 'watch', 'patch'],
        },
        { apiGroups: [GROUP], resources: ['resourceslices'], verbs: ['create', 'delete'] },
        { apiGroups: [GROUP], resources: ['synthesizers'], verbs: ['list', 'watch'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
        { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
        { apiGroups: [GROUP], resources: ['compositions/status', 'resourceslices/status'], verbs: ['patch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
        {
          apiGroups: ['apiextensions.k8s.io'],
          resources: ['customresourcedefinitions'],
          verbs: ['list', 'watch'],
        },
      ],
      // Kinds that it may not list and watch are read instead.
      verbsOnAnyKind: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
      add: (manager, env) => addOwnership(manager, env),
    },
  ],
};

/** The pods and the Synthesizers of Compositions. */
function synthesisSources(cache: Cache): readonly Source[] {
  const made = ({ metadata }: Stored<Synthesizer>): readonly Request[] => synthesizedBy(cache, metadata.name);
  return [
    watchOwned(SYNTHESIS_PODS, COMPOSITIONS),
    watchMapped(SYNTHESIZERS, made, { predicates: [generationChanged] }),
  ];
}

/** The slices of other Compositions that have the same objects: what they say decides on what is applied and deleted. */
function sharingSources(cache: Cache, objectsOf: ObjectsOf): readonly Source[] {
  const sharing = ({ metadata }: Stored): readonly Request[] =>
    cache
      .byIndex(RESOURCE_SLICES, BY_COMPOSITION, metadata.uid)
      .flatMap((slice) => slicesSharing(slice, cache, objectsOf));
  return [
    watchMapped(RESOURCE_SLICES, (slice) => slicesSharing(slice, cache, objectsOf), {
      predicates: [claimsChanged],
    }),
    watchMapped(COMPOSITIONS, sharing, {
      predicates: [anyOf(annotationsChanged, slicesChanged, deletionMovedOn)],
    }),
  ];
}

/** The slices, and what may change what is to be done about them. */
function sliceSources(cache: Cache, shard: Shard, objectsOf: ObjectsOf): readonly Source[] {
  return [
    watchKind(RESOURCE_SLICES, {
      predicates: [anyOf(generationChanged, noLongerReconciled, deletionBegan)],
    }),
    watchMapped(COMPOSITIONS, ({ metadata }) => slicesOf(cache, metadata.uid), {
      predicates: [anyOf(annotationsChanged, slicesChanged, deletionMovedOn, entersShard(shard))],
    }),
    watchMapped(RESOURCE_SLICES, (slice) => waitingBeside(slice, cache), { predicates: [progressed] }),
    watchMapped(RESOURCE_SLICES, (slice) => slicesBeside(slice, cache), { predicates: [isGone] }),
    ...sharingSources(cache, objectsOf),
  ];
}

/** Adds the two controllers. Only simulations replace `tools`, with broken variants that they must catch. */
export function addOwnership(
  manager: Manager,
  env: Environment,
  tools: OwnershipTools = { api: anyKindApi(manager.client), act },
): void {
  const shard = shardFromEnvironment(env);
  const rest = createRest(manager, tools);
  const objectsOf = objectsOfSlices();
  manager.cache.addIndex(RESOURCE_SLICES, BY_COMPOSITION, (slice) =>
    [compositionOf(slice)?.uid ?? []].flat(),
  );
  manager.cache.addIndex(RESOURCE_SLICES, BY_OBJECT, objectsOf);
  manager.cache.addIndex(COMPOSITIONS, BY_DEPENDENCY, dependencyKeys);
  addSynthesisIndexes(manager.cache);
  manager.addController({
    name: 'composition',
    reconciler: decisions(manager, COMPOSITIONS, compositionSteps(shard), { component: 'ownership' }),
    sources: [
      watchKind(COMPOSITIONS),
      watchOwned(RESOURCE_SLICES, COMPOSITIONS),
      ...synthesisSources(manager.cache),
      watchMapped(COMPOSITIONS, (composition) => relatives(composition, manager.cache), {
        predicates: [matterToOthers],
      }),
    ],
  });
  manager.addController({
    name: 'resourceslice',
    reconciler: sliceReconciler(manager, { env, shard, tools, rest: rest.tools }),
    sources: [...rest.noted(sliceSources(manager.cache, shard, objectsOf)), rest.late],
    maxConcurrentReconciles: CONCURRENT_SLICES,
  });
}
