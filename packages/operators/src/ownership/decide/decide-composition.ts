import { compareText, defined, formatTime, jsonEqual, type Stored } from '@kubewright/kube';
import { type Decision, hasFinalizer, type Refusal } from '@kubewright/runtime';
import {
  CLEANUP_FINALIZER,
  type Composition,
  type CompositionStatus,
  type ResourceSlice,
  type ResourceState,
  type Synthesis,
} from '../api.ts';
import { currentStates, pruneFailures } from '../slice-states.ts';
import { hasSynthesizer } from '../slice-task.ts';
import {
  decideSynthesis,
  type ObservedSynthesis,
  type SynthesisAction,
} from '../synthesis/decide-synthesis.ts';
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
  /** Where the operator synthesizes: undefined where its slices are written by others. */
  readonly synthesis?: ObservedSynthesis | undefined;
};

/** A Composition for which another waits. */
export type Blocker = { readonly name: string; readonly namespace: string; readonly reason: string };

export type CompositionAction = (
  | { readonly type: 'addFinalizer' }
  | { readonly type: 'removeFinalizer' }
  | SynthesisAction
) & {
  readonly composition: Stored<Composition>;
};

/** Milliseconds until a rejected write is tried again. */
const REJECTED_MS = 30_000;

type CompositionDecision = Decision<CompositionAction, CompositionStatus>;

/**
 * The status of a Composition. Without a synthesizer, the slices that it owns are its current synthesis. With one, its pod
 * prints them, or, where it has no image, another program says which slices are; how far they are is kept here all the same.
 */
export function decideComposition(observed: ObservedComposition, now: Date): CompositionDecision {
  const { composition } = observed;
  if (composition.metadata.deletionTimestamp !== undefined) return decideDeletion(observed, now);
  if (!hasFinalizer(composition, CLEANUP_FINALIZER))
    return { reason: 'AddFinalizer', action: { type: 'addFinalizer', composition } };
  if (!hasSynthesizer(composition)) return decideOwned(observed, now);
  const { synthesis } = observed;
  return synthesis === undefined
    ? reported(composition, progressOf(observed, now))
    : decideSynthesized(observed, synthesis, now);
}

/** Others that depend on it go first; then its slices delete their objects; then it is released. */
function decideDeletion(
  { composition, slices, dependents }: ObservedComposition,
  now: Date,
): CompositionDecision {
  if (!hasFinalizer(composition, CLEANUP_FINALIZER)) return { reason: 'Deleting' };
  if (dependents.length > 0) return decideBlocked(composition, 'WaitingOnDependents', dependents);
  const { status = {} } = composition;
  const states = [...statesOf(status.currentSynthesis, slices), ...failuresOf(slices)];
  const current = listed(status.currentSynthesis, slices);
  const conditions = conditionsOf(composition, current, slices, now);
  const next = { ...deletionStatus(composition, states), ...conditions };
  const isBegun = status.simplified?.status === 'Deleting';
  if (isBegun && isOver(slices, states)) return decideRelease(composition, slices);
  return { reason: 'Deleting', ...(jsonEqual(next, status) ? {} : { status: next }) };
}

/** Its objects are gone. Its slices go before it: there may be no garbage collector, and only its shard knows them. */
function decideRelease(
  composition: Stored<Composition>,
  slices: readonly Stored<ResourceSlice>[],
): CompositionDecision {
  const slice = slices.find(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (slice !== undefined)
    return { reason: 'DeleteSlice', action: { type: 'deleteSlice', slice, composition } };
  if (slices.some((one) => hasFinalizer(one, CLEANUP_FINALIZER))) return { reason: 'Deleting' };
  return { reason: 'Deleted', action: { type: 'removeFinalizer', composition } };
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
  const states = [...present.flatMap((slice) => currentStates(slice)), ...failuresOf(slices)];
  const { currentSynthesis, previousSynthesis } = synthesisOf(composition, present, states, now);
  return reported(composition, {
    ...status,
    ...conditionsOf(composition, present, slices, now),
    currentSynthesis,
    ...(previousSynthesis === undefined ? {} : { previousSynthesis }),
    simplified: simplify(currentSynthesis, states),
  });
}

/** The next step of the synthesis, and how far the current one is meanwhile. */
function decideSynthesized(
  observed: ObservedComposition,
  synthesis: ObservedSynthesis,
  now: Date,
): CompositionDecision {
  const { composition, slices, unready } = observed;
  const { dependencyStatus: _blocked, ...progress } = progressOf(observed, now);
  if (unready.length > 0 && isFirst(progress))
    return decideBlocked(composition, 'WaitingOnDependencies', unready);
  const { error, ...step } = decideSynthesis({ composition, slices, synthesis }, now);
  const { status, action, ...rest } = step;
  // While a write is tried again, the status keeps why it was rejected.
  const kept = action === undefined ? undefined : composition.status?.simplified?.error;
  const simplified = { ...progress.simplified, ...defined({ error: error ?? kept }) };
  const next = defined({ ...progress, ...status, simplified }) as CompositionStatus;
  return {
    ...rest,
    ...(jsonEqual(next, composition.status ?? {}) ? {} : { status: next }),
    ...(action && { action: { ...action, composition } }),
  };
}

/** Nothing was synthesized yet. */
function isFirst({ currentSynthesis, inFlightSynthesis }: CompositionStatus): boolean {
  return currentSynthesis === undefined && inFlightSynthesis === undefined;
}

/** How far the synthesis is that the status names. */
function progressOf({ composition, slices, synthesis }: ObservedComposition, now: Date): CompositionStatus {
  const { status = {} } = composition;
  const { currentSynthesis: before, inFlightSynthesis } = status;
  if (before === undefined) {
    // Its synthesizer has not begun, or writes the status itself.
    const simplified = { status: inFlightSynthesis === undefined ? 'PendingSynthesis' : 'Synthesizing' };
    return {
      ...status,
      simplified: synthesis === undefined ? (status.simplified ?? simplified) : simplified,
    };
  }
  const states = [...statesOf(before, slices), ...failuresOf(slices)];
  const isComplete = (before.resourceSlices ?? []).every((ref) =>
    slices.some(({ metadata }) => metadata.name === ref.name),
  );
  const currentSynthesis = withProgress(before, isComplete ? states : [{}, ...states], now);
  const simplified = simplify(currentSynthesis, states);
  const conditions = conditionsOf(composition, listed(before, slices), slices, now);
  return { ...status, ...conditions, currentSynthesis, simplified };
}

/** A write that the server rejects is shown, and tried again. */
export function refusedComposition(
  { composition }: ObservedComposition,
  { message }: Refusal,
): Decision<never, CompositionStatus> {
  const { status = {} } = composition;
  const next = { ...status, simplified: { ...status.simplified, error: message } };
  const change = jsonEqual(next, status) ? {} : { status: next };
  return { reason: 'WriteRejected', ...change, requeueAfter: REJECTED_MS };
}

/** No conditions rather than none in a list. */
function conditionsOf(
  { metadata, status }: Composition,
  current: readonly ResourceSlice[],
  all: readonly ResourceSlice[],
  now: Date,
): Pick<CompositionStatus, 'conditions'> {
  const { generation = 0 } = metadata;
  const going = all.filter((slice) => !current.includes(slice));
  const before = status?.conditions ?? [];
  const conditions = ownershipConditions(before, current, generation, formatTime(now), going);
  return conditions.length === 0 ? {} : { conditions: [...conditions] };
}

/** The states of all objects of a synthesis, as far as its slices exist. */
function statesOf(
  synthesis: Synthesis | undefined,
  slices: readonly Stored<ResourceSlice>[],
): readonly ResourceState[] {
  return listed(synthesis, slices).flatMap((slice) => currentStates(slice));
}

/** What could not be pruned is not done, also of slices that go. */
function failuresOf(slices: readonly ResourceSlice[]): readonly ResourceState[] {
  return slices.flatMap((slice) => pruneFailures(slice));
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
