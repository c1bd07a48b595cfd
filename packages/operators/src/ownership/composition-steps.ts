import { compareText, type Stored } from '@kubewright/kube';
import {
  addFinalizer,
  type Cache,
  hasFinalizer,
  type Io,
  removeFinalizer,
  type Steps,
} from '@kubewright/runtime';
import {
  CLEANUP_FINALIZER,
  type Composition,
  compositionOf,
  COMPOSITIONS,
  type CompositionStatus,
  RESOURCE_SLICES,
  type ResourceSlice,
} from './api.ts';
import {
  type Blocker,
  type CompositionAction,
  decideComposition,
  type ObservedComposition,
  refusedComposition,
} from './decide/decide-composition.ts';
import { actOnSynthesis, observeSynthesis } from './synthesis/synthesis-steps.ts';
import { isInShard, type Shard } from './shard.ts';
import { BY_COMPOSITION, BY_DEPENDENCY, dependencies, keyOfComposition } from './watched.ts';

/** Keeps the status and the finalizer of a Composition of the shard. */
export function compositionSteps(
  shard: Shard,
): Steps<ObservedComposition, CompositionAction, CompositionStatus, Composition> {
  return {
    async observe(request, io) {
      const { cache } = io;
      const composition = cache.get(COMPOSITIONS, request);
      if (composition === undefined || !isInShard(shard, composition)) return undefined;
      return {
        composition,
        slices: await slicesOf(composition, io),
        unready: dependencies(composition).flatMap((key) => unreadiness(cache, key)),
        dependents: dependentsOf(composition, cache),
        synthesis: await observeSynthesis(composition, io),
      };
    },
    decide: decideComposition,
    async act(action, io) {
      const { composition } = action;
      if (action.type === 'addFinalizer')
        await addFinalizer(io, COMPOSITIONS, composition, CLEANUP_FINALIZER);
      else if (action.type === 'removeFinalizer')
        await removeFinalizer(io, COMPOSITIONS, composition, CLEANUP_FINALIZER);
      else await actOnSynthesis(action, composition, io);
      return 'done';
    },
    refused: refusedComposition,
    subject: ({ composition }) => composition,
  };
}

/** While it is being deleted not from the cache: what a slice has applied since would be left behind. */
async function slicesOf(
  { metadata }: Stored<Composition>,
  { cache, client }: Io,
): Promise<readonly Stored<ResourceSlice>[]> {
  const { uid, namespace } = metadata;
  if (metadata.deletionTimestamp === undefined) return cache.byIndex(RESOURCE_SLICES, BY_COMPOSITION, uid);
  const { items } = await client.list(RESOURCE_SLICES, { namespace });
  return items.filter((slice) => compositionOf(slice)?.uid === uid);
}

type Key = { readonly name: string; readonly namespace: string };

function unreadiness(cache: Cache, key: Key): readonly Blocker[] {
  const found = cache.get(COMPOSITIONS, key);
  if (found === undefined) return [{ ...key, reason: 'DependencyNotFound' }];
  return found.status?.currentSynthesis?.ready === undefined
    ? [{ ...key, reason: 'DependencyNotReady' }]
    : [];
}

/** The Compositions that depend on it and still hold their objects. */
function dependentsOf(composition: Stored<Composition>, cache: Cache): readonly Blocker[] {
  return cache
    .byIndex(COMPOSITIONS, BY_DEPENDENCY, keyOfComposition(composition))
    .filter(
      (other) =>
        other.metadata.uid !== composition.metadata.uid &&
        (other.metadata.deletionTimestamp === undefined || hasFinalizer(other, CLEANUP_FINALIZER)),
    )
    .map(({ metadata: { name, namespace } }) => ({ name, namespace, reason: 'DependentNotDeleted' }))
    .toSorted((a, b) => compareText(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`));
}
