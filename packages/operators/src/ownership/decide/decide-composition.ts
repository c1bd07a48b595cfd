import { compareText, formatTime, jsonEqual, type Stored } from '@kubewright/kube';
import { type Decision, hasFinalizer } from '@kubewright/runtime';
import {
  CLEANUP_FINALIZER,
  type Composition,
  type CompositionStatus,
  type ResourceSlice,
  type ResourceState,
  type Synthesis,
} from '../api.ts';
import { currentStates } from '../slice-states.ts';
import { hasSynthesizer } from '../slice-task.ts';
import { ownershipConditions } from './ownership-conditions.ts';
import { simplify, synthesisOf, withProgress } from './synthesis-status.ts';

/** A Composition, the slices that it owns, and the Compositions that depend on each other. */
export type ObservedComposition = {
  readonly composition: Stored<Composition>;
  /** The slices whose controller owner reference names it, in any order. While it is being deleted, not from a cache. */
  readonly slices: readonly Stored<ResourceSlice>[];
  /** Those of `spec.dependsOn` that are not ready. */
  readonly unready: readonly Blocker[];
  /** Those that depend on it and still exist. */
  readonly dependents: readonly Blocker[];
};

/** A Composition for which another waits. */
export type Blocker = { readonly name: string; readonly namespace: string; readonly reason: string };

export type CompositionAction = {
  readonly type: 'addFinalizer' | 'removeFinalizer';
  readonly composition: Stored<Composition>;
};

type CompositionDecision = Decision<CompositionAction, CompositionStatus>;

/**
 * The status of a Composition. Without a synthesizer, the slices that it owns are its current synthesis. With one, another
 * program says which slices are; how far they are is kept here all the same.
 */
export function decideComposition(observed: ObservedComposition, now: Date): CompositionDecision {
  const { composition } = observed;
  if (composition.metadata.deletionTimestamp !== undefined) return decideDeletion(observed);
  if (!hasFinalizer(composition, CLEANUP_FINALIZER))
    return { reason: 'AddFinalizer', action: { type: 'addFinalizer', composition } };
  const isElsewhere = hasSynthesizer(composition);
  return isElsewhere ? decideElsewhere(observed, now) : decideOwned(observed, now);
}

/** Others that depend on it go first; then its slices delete their objects; then it is released. */
function decideDeletion({ composition, slices, dependents }: ObservedComposition): CompositionDecision {
  if (!hasFinalizer(composition, CLEANUP_FINALIZER)) return { reason: 'Deleting' };
  if (dependents.length > 0) return decideBlocked(composition, 'WaitingOnDependents', dependents);
  const { status = {} } = composition;
  const states = statesOf(status.currentSynthesis, slices);
  const next = deletionStatus(composition, states);
  const isBegun = status.simplified?.status === 'Deleting';
  if (isBegun && isOver(slices, states))
    return { reason: 'Deleted', action: { type: 'removeFinalizer', composition } };
  return { reason: 'Deleting', ...(jsonEqual(next, status) ? {} : { status: next }) };
}

function deletionStatus(
  { metadata, status = {} }: Composition,
  states: readonly ResourceState[],
): CompositionStatus {
  const { dependencyStatus: _blocked, currentSynthesis: before, ...rest } = status;
  const { reconciled: _reconciled, ready: _ready, ...current } = before ?? {};
  const observedCompositionGeneration = metadata.generation ?? 0;
  const { error } = simplify({}, states);
  return {
    ...rest,
    ...(before === undefined ? {} : { currentSynthesis: { ...current, observedCompositionGeneration } }),
    simplified: { status: 'Deleting', ...(error === undefined ? {} : { error }) },
  };
}

/** Whether nothing is left of what the slices applied. */
function isOver(slices: readonly ResourceSlice[], states: readonly ResourceState[]): boolean {
  return (
    states.every(({ reconciled, deleted }) => reconciled === true && deleted === true) &&
    slices.every(({ status }) => (status?.inventory ?? []).length === 0)
  );
}

function decideBlocked(
  { status = {} }: Composition,
  reason: 'WaitingOnDependents' | 'WaitingOnDependencies',
  blockers: readonly Blocker[],
): CompositionDecision {
  const next: CompositionStatus = {
    ...status,
    dependencyStatus: { blocked: true, reason, blockedBy: [...blockers] },
    simplified: { status: reason },
  };
  return { reason, ...(jsonEqual(next, status) ? {} : { status: next }) };
}

function decideOwned(observed: ObservedComposition, now: Date): CompositionDecision {
  const { composition, slices, unready } = observed;
  const { dependencyStatus: _blocked, ...status } = composition.status ?? {};
  const present = slices.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(byName);
  const isNew = status.currentSynthesis === undefined;
  if (isNew && present.length === 0) return { reason: 'NoSlices' };
  if (isNew && unready.length > 0) return decideBlocked(composition, 'WaitingOnDependencies', unready);
  const states = present.flatMap((slice) => currentStates(slice));
  const { currentSynthesis, previousSynthesis } = synthesisOf(composition, present, states, now);
  return reported(composition, {
    ...status,
    ...conditionsOf(composition, present, now),
    currentSynthesis,
    ...(previousSynthesis === undefined ? {} : { previousSynthesis }),
    simplified: simplify(currentSynthesis, states),
  });
}

/** Another program says which slices there are. */
function decideElsewhere({ composition, slices }: ObservedComposition, now: Date): CompositionDecision {
  const { status = {} } = composition;
  const { currentSynthesis: before, inFlightSynthesis } = status;
  if (before === undefined) {
    // Its synthesizer has not begun, or writes the status itself.
    const simplified = { status: inFlightSynthesis === undefined ? 'PendingSynthesis' : 'Synthesizing' };
    return reported(composition, { ...status, simplified: status.simplified ?? simplified });
  }
  const states = statesOf(before, slices);
  const isComplete = (before.resourceSlices ?? []).every((ref) =>
    slices.some(({ metadata }) => metadata.name === ref.name),
  );
  const currentSynthesis = withProgress(before, isComplete ? states : [{}, ...states], now);
  const simplified = simplify(currentSynthesis, states);
  const conditions = conditionsOf(composition, listed(before, slices), now);
  return reported(composition, { ...status, ...conditions, currentSynthesis, simplified });
}

/** No conditions rather than none in a list. */
function conditionsOf(
  { metadata, status }: Composition,
  slices: readonly ResourceSlice[],
  now: Date,
): Pick<CompositionStatus, 'conditions'> {
  const { generation = 0 } = metadata;
  const conditions = ownershipConditions(status?.conditions ?? [], slices, generation, formatTime(now));
  return conditions.length === 0 ? {} : { conditions: [...conditions] };
}

/** The states of all objects of a synthesis, as far as its slices exist. */
function statesOf(
  synthesis: Synthesis | undefined,
  slices: readonly Stored<ResourceSlice>[],
): readonly ResourceState[] {
  return listed(synthesis, slices).flatMap((slice) => currentStates(slice));
}

function listed(
  synthesis: Synthesis | undefined,
  slices: readonly Stored<ResourceSlice>[],
): readonly Stored<ResourceSlice>[] {
  const names = new Set((synthesis?.resourceSlices ?? []).map(({ name }) => name));
  return slices.filter(({ metadata }) => names.has(metadata.name));
}

function reported({ status }: Composition, next: CompositionStatus): CompositionDecision {
  return jsonEqual(next, status ?? {}) ? { reason: 'UpToDate' } : { reason: 'Synthesized', status: next };
}

function byName(a: Stored<ResourceSlice>, b: Stored<ResourceSlice>): number {
  return compareText(a.metadata.name, b.metadata.name);
}
