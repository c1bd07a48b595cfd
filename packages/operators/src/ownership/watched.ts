import type { Stored } from '@kubewright/kube';
import { type Cache, type Predicate, type Request, requestFor } from '@kubewright/runtime';
import { type Composition, compositionOf, COMPOSITIONS, RESOURCE_SLICES, type ResourceSlice } from './api.ts';
import { objectKey } from './inventory.ts';
import { BY_OBJECT, wantedKeys } from './holders/wants-objects.ts';
import { currentStates } from './slice-states.ts';
import { listedSlices } from './slice-task.ts';
import { BY_SYNTHESIZER } from './synthesis/synthesis-steps.ts';

/** Index of slices by the uid of their Composition. */
export const BY_COMPOSITION = 'composition';
/** Index of Compositions by {@link keyOfComposition} of what they depend on. */
export const BY_DEPENDENCY = 'dependency';

/** The objects of a slice by {@link objectKey}: on record, or wanted. */
export type ObjectsOf = (slice: ResourceSlice) => string[];

/** The values of the index {@link BY_OBJECT}. */
export function objectsOfSlices(): ObjectsOf {
  const wantedBy = wantedKeys();
  return (slice) => [...new Set([...recordedObjects(slice), ...wantedBy(slice)])];
}

function recordedObjects({ status }: ResourceSlice): readonly string[] {
  return (status?.inventory ?? []).map((entry) => objectKey(entry));
}

export function keyOfComposition({ metadata }: Composition): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** `spec.dependsOn`; without a namespace, in its own. */
export function dependencies({
  metadata,
  spec,
}: Composition): readonly { readonly name: string; readonly namespace: string }[] {
  return (spec?.dependsOn ?? []).map(({ name = '', namespace = metadata.namespace ?? '' }) => ({
    name,
    namespace,
  }));
}

export function dependencyKeys(composition: Composition): string[] {
  return dependencies(composition).map(({ name, namespace }) => `${namespace}/${name}`);
}

/** The Compositions that wait for it, and those that it waits for. */
export function relatives(composition: Stored<Composition>, cache: Cache): readonly Request[] {
  const dependents = cache.byIndex(COMPOSITIONS, BY_DEPENDENCY, keyOfComposition(composition));
  return [...dependents.map((dependent) => requestFor(dependent)), ...dependencies(composition)];
}

/** The slices of the Composition with this uid. */
export function slicesOf(cache: Cache, uid: string): readonly Request[] {
  return cache.byIndex(RESOURCE_SLICES, BY_COMPOSITION, uid).map((slice) => requestFor(slice));
}

/** The Compositions that a synthesizer makes. */
export function synthesizedBy(cache: Cache, name: string): readonly Request[] {
  return cache.byIndex(COMPOSITIONS, BY_SYNTHESIZER, name).map((composition) => requestFor(composition));
}

/**
 * The other slices of the same Composition, unless it is being deleted. A slice is gone only when its last reconcile is
 * over, so these see what a delayed write of it changed in their objects.
 */
export function slicesBeside(slice: Stored<ResourceSlice>, cache: Cache): readonly Request[] {
  const owner = compositionOf(slice);
  if (owner === undefined) return [];
  const composition = cache.get(COMPOSITIONS, { namespace: slice.metadata.namespace, name: owner.name });
  return composition?.metadata.deletionTimestamp === undefined ? slicesOf(cache, owner.uid) : [];
}

/** The slices of other Compositions with one of its objects. */
export function slicesSharing(slice: ResourceSlice, cache: Cache, objectsOf: ObjectsOf): readonly Request[] {
  const uid = compositionOf(slice)?.uid;
  const sharing = objectsOf(slice)
    .flatMap((key) => cache.byIndex(RESOURCE_SLICES, BY_OBJECT, key))
    .filter((other) => compositionOf(other)?.uid !== uid);
  return [...new Set(sharing)].map((other) => requestFor(other));
}

/** What a slice wants or has on record is different, or it goes: those that share objects with it apply others then. */
export const claimsChanged: Predicate<ResourceSlice> = (event) =>
  event.type !== 'Update' || claimsOf(event.old) !== claimsOf(event.object);

function claimsOf(slice: ResourceSlice): string {
  const { generation, deletionTimestamp } = slice.metadata;
  return JSON.stringify([generation, deletionTimestamp !== undefined, recordedObjects(slice)]);
}

/** The other slices of the same Composition that still wait for something. */
export function waitingBeside(slice: Stored<ResourceSlice>, cache: Cache): readonly Request[] {
  const owner = compositionOf(slice);
  if (owner === undefined) return [];
  const { namespace } = slice.metadata;
  const composition = cache.get(COMPOSITIONS, { namespace, name: owner.name });
  const isDeletion = composition?.metadata.deletionTimestamp !== undefined;
  const waits = (other: ResourceSlice): boolean =>
    currentStates(other).some(
      ({ ready, deleted }) => deleted !== true && (isDeletion || ready === undefined),
    );
  return cache
    .byIndex(RESOURCE_SLICES, BY_COMPOSITION, owner.uid)
    .filter((other) => other.metadata.uid !== slice.metadata.uid && waits(other))
    .map((other) => requestFor(other));
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

/** An object of the slice became ready or is gone, or the slice is: others may wait for that. */
export const progressed: Predicate<ResourceSlice> = (event) =>
  event.type === 'Update' ? progressOf(event.old) !== progressOf(event.object) : event.type === 'Delete';

function progressOf(slice: ResourceSlice): string {
  return currentStates(slice)
    .map(({ ready, deleted }) => `${ready !== undefined} ${deleted === true}`)
    .join();
}

export const isGone: Predicate = (event) => event.type === 'Delete';

export const deletionBegan: Predicate = (event) =>
  event.type === 'Update' &&
  event.old.metadata.deletionTimestamp === undefined &&
  event.object.metadata.deletionTimestamp !== undefined;

export const slicesChanged: Predicate<Composition> = (event) =>
  event.type !== 'Update' || listedSlices(event.old).join('/') !== listedSlices(event.object).join('/');

/** The Composition is being deleted, and says how far that is. */
export const deletionMovedOn: Predicate<Composition> = (event) =>
  event.type === 'Update' && deletionOf(event.old) !== deletionOf(event.object);

function deletionOf({ metadata, status }: Composition): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  return `${status?.simplified?.status ?? ''} ${(metadata.finalizers ?? []).join()}`;
}

/** What others look at that depend on a Composition, or on which it depends. */
export const matterToOthers: Predicate<Composition> = (event) =>
  event.type !== 'Update' ||
  (event.old.status?.currentSynthesis?.ready === undefined) !==
    (event.object.status?.currentSynthesis?.ready === undefined) ||
  deletionOf(event.old) !== deletionOf(event.object);
