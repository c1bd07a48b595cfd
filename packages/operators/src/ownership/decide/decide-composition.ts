import { compareText, defined, formatTime, jsonEqual, type Stored } from '@kubewright/kube';
import type { Decision } from '@kubewright/runtime';
import type { Composition, CompositionStatus, ResourceSlice, ResourceState, Synthesis } from '../api.ts';

/** A Composition and the slices that it owns. */
export type ObservedComposition = {
  readonly composition: Composition;
  /** The slices whose controller owner reference names it, in any order. */
  readonly slices: readonly Stored<ResourceSlice>[];
};

/**
 * The status of a Composition without a synthesizer: the slices that it owns are its current synthesis. With a
 * synthesizer, another program writes the status.
 */
export function decideComposition(
  { composition, slices }: ObservedComposition,
  now: Date,
): Decision<never, CompositionStatus> {
  const reason = reasonToLeave(composition, slices);
  if (reason !== undefined) return { reason };
  const present = slices.filter(({ metadata }) => metadata.deletionTimestamp === undefined).sort(byName);
  const states = present.flatMap((slice) => statesOf(slice));
  const currentSynthesis = synthesisOf(composition, present, states, now);
  const simplified = simplify(currentSynthesis, states);
  const status: CompositionStatus = { ...composition.status, currentSynthesis, simplified };
  return jsonEqual(status, composition.status ?? {})
    ? { reason: 'UpToDate' }
    : { reason: 'Synthesized', status };
}

function reasonToLeave(
  { spec, metadata, status }: Composition,
  slices: readonly ResourceSlice[],
): string | undefined {
  if ((spec?.synthesizer?.name ?? '') !== '') return 'SynthesizedElsewhere';
  if (metadata.deletionTimestamp !== undefined) return 'Deleting';
  return slices.length === 0 && status?.currentSynthesis === undefined ? 'NoSlices' : undefined;
}

function byName(a: Stored<ResourceSlice>, b: Stored<ResourceSlice>): number {
  return compareText(a.metadata.name, b.metadata.name);
}

/** One state per manifest; manifests that the status lacks are not reconciled. */
function statesOf({ spec, status, metadata }: ResourceSlice): readonly ResourceState[] {
  const current =
    status?.observedGeneration === undefined || status.observedGeneration === metadata.generation;
  const known = current ? (status?.resources ?? []) : [];
  return (spec?.resources ?? []).map((_manifest, index) => known[index] ?? {});
}

function synthesisOf(
  { metadata, status }: Composition,
  slices: readonly Stored<ResourceSlice>[],
  states: readonly ResourceState[],
  now: Date,
): Synthesis {
  const before = status?.currentSynthesis ?? {};
  const resourceSlices = slices.map((slice) => ({ name: slice.metadata.name }));
  const isSame = jsonEqual(resourceSlices, before.resourceSlices ?? []);
  const time = formatTime(now);
  return defined({
    uuid: sharedUuid(slices),
    observedCompositionGeneration: metadata.generation,
    synthesized: isSame ? (before.synthesized ?? time) : time,
    ...progressOf(before, states, time),
    resourceSlices,
  });
}

function progressOf(
  before: Synthesis,
  states: readonly ResourceState[],
  time: string,
): Pick<Synthesis, 'reconciled' | 'ready'> {
  if (!states.every((state) => state.reconciled === true)) return {};
  const reconciled = before.reconciled ?? time;
  const ready = states.every((state) => state.ready !== undefined || state.deleted === true);
  return ready ? { reconciled, ready: latest(states) ?? before.ready ?? time } : { reconciled };
}

/** The synthesis that all slices name. */
function sharedUuid(slices: readonly ResourceSlice[]): string | undefined {
  const [uuid, ...others] = new Set(slices.map(({ spec }) => spec?.synthesisUUID ?? ''));
  return uuid === '' || others.length > 0 ? undefined : uuid;
}

function latest(states: readonly ResourceState[]): string | undefined {
  return states
    .map(({ ready }) => ready)
    .filter((ready) => ready !== undefined)
    .sort()
    .at(-1);
}

function simplify(
  synthesis: Synthesis,
  states: readonly ResourceState[],
): NonNullable<CompositionStatus['simplified']> {
  const [error] = states
    .flatMap(({ reconciliationError }) => reconciliationError ?? [])
    .sort()
    .reverse();
  if (synthesis.reconciled === undefined) return { status: 'Reconciling', ...defined({ error }) };
  return { status: synthesis.ready === undefined ? 'NotReady' : 'Ready' };
}
