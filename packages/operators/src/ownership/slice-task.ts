import type { Stored } from '@kubewright/kube';
import { hasFinalizer } from '@kubewright/runtime';
import { CLEANUP_FINALIZER, compositionOf, type Composition, type ResourceSlice } from './api.ts';

/** What is to be done about a slice. */
export type SliceTask =
  /** Apply its manifests. */
  | 'apply'
  /** Its Composition is being deleted: delete its objects. */
  | 'delete'
  /** It is being deleted, or a synthesizer has dropped it: delete what it applied and no other slice mentions. */
  | 'prune'
  /** Its Composition is gone: nothing is left to do but to release it. */
  | 'release'
  | 'nothing';

/**
 * What is to be done about a slice of `composition`. The Composition's controller decides when a deletion begins, and
 * says so in its status: others may depend on it.
 */
export function sliceTask(slice: ResourceSlice, composition: Composition | undefined): SliceTask {
  const isGoing = slice.metadata.deletionTimestamp !== undefined;
  const uid = compositionOf(slice)?.uid;
  const isOwned = uid !== undefined && composition?.metadata.uid === uid;
  if (!isOwned || isReleased(composition)) return isGoing ? 'release' : 'nothing';
  if (composition.metadata.deletionTimestamp !== undefined) return taskInDeletion(slice, composition);
  return isGoing ? 'prune' : taskOfPresent(slice, composition);
}

/**
 * Without a synthesizer every slice that is there belongs to the synthesis. One that the status does not list yet is new,
 * or the status was written by a cache that was behind: nothing may be deleted for that.
 */
function taskOfPresent(slice: ResourceSlice, composition: Composition): SliceTask {
  if (isListed(slice, composition)) return 'apply';
  const { inFlightSynthesis } = composition.status ?? {};
  if (inFlightSynthesis !== undefined && inFlightSynthesis.uuid === slice.spec?.synthesisUUID)
    return 'nothing';
  const isDropped = hasSynthesizer(composition) && composition.status?.currentSynthesis !== undefined;
  return isDropped ? 'prune' : 'nothing';
}

/** Until the deletion begins, the synthesis stays as it is. */
function taskInDeletion(slice: ResourceSlice, composition: Composition): SliceTask {
  const listed = isListed(slice, composition);
  if (composition.status?.simplified?.status === 'Deleting') return listed ? 'delete' : 'prune';
  return listed && slice.metadata.deletionTimestamp === undefined ? 'apply' : 'nothing';
}

function isListed({ metadata }: ResourceSlice, composition: Composition): boolean {
  return listedSlices(composition).includes(metadata.name ?? '');
}

/** The names of the slices of the current synthesis. */
export function listedSlices({ status }: Composition): readonly string[] {
  return (status?.currentSynthesis?.resourceSlices ?? []).flatMap(({ name }) => name ?? []);
}

/** Whether the operator is done with a Composition that is being deleted: only others still hold it. */
function isReleased(composition: Composition): boolean {
  return (
    composition.metadata.deletionTimestamp !== undefined && !hasFinalizer(composition, CLEANUP_FINALIZER)
  );
}

/** Another program says in the status which slices there are. */
export function hasSynthesizer({ spec }: Composition): boolean {
  return spec?.synthesizer !== undefined;
}

/**
 * Whether a slice from which nothing is left to prune is of no use any more: a synthesizer had it applied, and it is of no
 * synthesis that the status names. One that was never applied may be of a synthesis to come.
 */
export function isLeftover(slice: ResourceSlice, composition: Composition): boolean {
  const { currentSynthesis, previousSynthesis, inFlightSynthesis } = composition.status ?? {};
  const uuid = slice.spec?.synthesisUUID;
  const isNamed = [currentSynthesis, previousSynthesis, inFlightSynthesis].some(
    (synthesis) =>
      synthesis?.resourceSlices?.some(({ name }) => name === slice.metadata.name) === true ||
      (synthesis !== undefined && synthesis === inFlightSynthesis && synthesis.uuid === uuid),
  );
  const wasApplied = (slice.status?.resources ?? []).some(({ reconciled }) => reconciled === true);
  return (
    hasSynthesizer(composition) && slice.metadata.deletionTimestamp === undefined && !isNamed && wasApplied
  );
}

/**
 * The other slices of the synthesis, out of all that the Composition owns; undefined while one of them is not known.
 * `isWhole`: `owned` is from the server, so one that is not there is gone, which it may be while the Composition is deleted.
 */
export function otherSlices(
  slice: ResourceSlice,
  composition: Composition,
  owned: readonly Stored<ResourceSlice>[],
  isWhole = false,
): readonly Stored<ResourceSlice>[] | undefined {
  const others = owned.filter(({ metadata }) => metadata.name !== slice.metadata.name);
  const isDeletion = composition.metadata.deletionTimestamp !== undefined;
  if (!hasSynthesizer(composition) && !isDeletion)
    return others.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const names = listedSlices(composition).filter((name) => name !== slice.metadata.name);
  const known = new Set(names);
  const listed = others.filter(({ metadata }) => known.has(metadata.name));
  return listed.length === names.length || (isWhole && isDeletion) ? listed : undefined;
}
