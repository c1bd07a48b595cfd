import { createHash } from 'node:crypto';
import { canonicalJson, defined, formatTime, type corev1, type Json, type Stored } from '@kubewright/kube';
import { hasFinalizer } from '@kubewright/runtime';
import {
  CLEANUP_FINALIZER,
  type Composition,
  type CompositionStatus,
  type ResourceSlice,
  type Synthesis,
} from '../api.ts';
import { planApply, type PlannedSlice } from '../apply/plan-apply.ts';
import type { Inputs } from './inputs.ts';
import type { Output } from './read-output.ts';
import { inputText, podTimeout, startedAt, synthesisName, synthesisPod } from './synthesis-pod.ts';
import { POD_LABELS, type Synthesizer } from './synthesizers.ts';

/** What a Composition's synthesis is decided on. */
export type ObservedSynthesis = {
  readonly synthesizer: Stored<Synthesizer>;
  readonly inputs: Inputs;
  /** Of the Composition, of all syntheses. */
  readonly pods: readonly Stored<corev1.Pod>[];
  /** What the pod of the current attempt has printed, once it has succeeded. */
  readonly output: Output | undefined;
};

export type SynthesisAction =
  | { readonly type: 'createPod'; readonly pod: corev1.Pod }
  | { readonly type: 'deletePod'; readonly pod: Stored<corev1.Pod> }
  | { readonly type: 'createSlice'; readonly slice: PlannedSlice; readonly synthesisUUID: string }
  | { readonly type: 'deleteSlice'; readonly slice: Stored<ResourceSlice> };

/** What to do next; `status` is merged over the one that says how far the current synthesis is. */
export type SynthesisStep = {
  readonly reason: string;
  readonly status?: { readonly [K in keyof CompositionStatus]?: CompositionStatus[K] | undefined };
  readonly action?: SynthesisAction;
  readonly requeueAfter?: number;
  /** Why it does not go on. */
  readonly error?: string;
};

/** Inputs are not watched: they may be of any kind. */
const INPUTS_MS = 30_000;
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [5000, 5 * 60_000];

type Parts = {
  readonly composition: Stored<Composition>;
  readonly slices: readonly Stored<ResourceSlice>[];
  readonly synthesis: ObservedSynthesis;
};

/** The pod of an attempt, and whether a synthesis is of the present: of this spec, this synthesizer and these inputs. */
export function podOf(
  pods: readonly Stored<corev1.Pod>[],
  { uuid, attempts = 1 }: Synthesis,
): Stored<corev1.Pod> | undefined {
  return pods.find(
    ({ metadata: { labels = {} } }) =>
      labels[POD_LABELS.synthesis] === uuid && labels[POD_LABELS.attempt] === String(attempts),
  );
}

/**
 * One step towards the synthesis of the present: begin it, run its pod, write its slices, switch to them, and clean up.
 * Names follow from the uuid, and that from the generations and inputs, so that a step that is repeated changes nothing.
 */
export function decideSynthesis(parts: Parts, now: Date): SynthesisStep {
  const { composition, synthesis } = parts;
  const { currentSynthesis, inFlightSynthesis: flight } = composition.status ?? {};
  if (flight !== undefined && isOf(flight, parts)) return advance(parts, flight, now);
  const { inputs } = synthesis;
  if (!inputs.ok) return { reason: 'MissingInputs', error: inputs.message, requeueAfter: INPUTS_MS };
  const next = begun(parts, inputs);
  if (flight === undefined && currentSynthesis?.uuid === next.uuid) return settle(parts);
  if (inputText(inputs) === undefined)
    return { reason: 'InputsTooLarge', error: 'the inputs are larger than 120 KiB', requeueAfter: INPUTS_MS };
  const inFlightSynthesis = { ...next, initialized: formatTime(now), attempts: 1 };
  return { reason: 'BeginSynthesis', status: { inFlightSynthesis } };
}

/** An attempt goes on when inputs change, so that inputs that change all the time are synthesized too. */
function isOf(flight: Synthesis, { composition, synthesis }: Parts): boolean {
  return (
    flight.observedCompositionGeneration === composition.metadata.generation &&
    flight.observedSynthesizerGeneration === synthesis.synthesizer.metadata.generation
  );
}

function begun({ composition, synthesis }: Parts, inputs: Extract<Inputs, { ok: true }>): Synthesis {
  const { synthesizer } = synthesis;
  const identity = {
    ...defined({
      observedCompositionGeneration: composition.metadata.generation,
      observedSynthesizerGeneration: synthesizer.metadata.generation,
    }),
    ...(inputs.revisions.length > 0 && { inputRevisions: [...inputs.revisions] }),
  };
  return { ...identity, uuid: uuidOf([composition.metadata.uid, synthesizer.metadata.uid, identity]) };
}

/** A UUID (version 8) of a value. */
function uuidOf(value: Json): string {
  const hex = createHash('sha256').update(canonicalJson(value)).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function advance(parts: Parts, flight: Synthesis, now: Date): SynthesisStep {
  const { composition, synthesis } = parts;
  const { pods, synthesizer, inputs, output } = synthesis;
  const pod = podOf(pods, flight);
  const stale = pods.find((one) => one !== pod && one.metadata.deletionTimestamp === undefined);
  if (stale !== undefined) return { reason: 'DeletePod', action: { type: 'deletePod', pod: stale } };
  if (pod === undefined) {
    if (!inputs.ok) return { reason: 'MissingInputs', error: inputs.message, requeueAfter: INPUTS_MS };
    const input = inputText(inputs) ?? '';
    return {
      reason: 'CreatePod',
      action: { type: 'createPod', pod: synthesisPod(composition, synthesizer, flight, { input, now }) },
    };
  }
  const left = startedAt(pod) + podTimeout(synthesizer) - now.getTime();
  const failure = failureOf(pod, output, left < 0);
  if (failure !== undefined) return retry(failure, flight, pod, now);
  if (output?.ok === true) return conclude(parts, flight, output, now);
  return { reason: 'Synthesizing', requeueAfter: Math.min(left, podTimeout(synthesizer)) + 1000 };
}

/** Why an attempt has failed; undefined while it runs, and once it has printed its list. */
function failureOf(pod: corev1.Pod, output: Output | undefined, isLate: boolean): string | undefined {
  if (output !== undefined) return output.ok ? undefined : output.message;
  const phase = pod.status?.phase;
  if (phase === 'Failed') return exitOf(pod);
  return phase === 'Succeeded' || !isLate ? undefined : delayOf(pod);
}

function exitOf({ status }: corev1.Pod): string {
  const exitCode = stateOf(status)?.terminated?.exitCode ?? 'unknown';
  return status?.message ?? status?.reason ?? `the synthesizer has failed with exit code ${exitCode}`;
}

function delayOf({ status }: corev1.Pod): string {
  const reason = stateOf(status)?.waiting?.reason;
  return `the pod took too long${reason === undefined ? '' : `: ${reason}`}`;
}

function stateOf(status: corev1.PodStatus | undefined): corev1.ContainerState | undefined {
  return status?.containerStatuses?.[0]?.state;
}

/** The next attempt, later and later; the pod of the last one stays until then, for its log. */
function retry(error: string, flight: Synthesis, pod: Stored<corev1.Pod>, now: Date): SynthesisStep {
  const { attempts = 1 } = flight;
  const delay = Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 10), LAST_RETRY_MS);
  const wait = Math.min(startedAt(pod) + delay - now.getTime(), delay);
  if (wait > 0) return { reason: 'SynthesisFailed', error, requeueAfter: wait };
  return {
    reason: 'RetrySynthesis',
    error,
    status: { inFlightSynthesis: { ...flight, attempts: attempts + 1 } },
  };
}

/** The slices of what was printed, and then the switch to them: what they no longer mention is pruned. */
function conclude(
  { composition, slices }: Parts,
  flight: Synthesis,
  output: Extract<Output, { ok: true }>,
  now: Date,
): SynthesisStep {
  const planned = planApply(synthesisName(composition, flight), output.items, []).slices;
  const present = new Set(slices.map(({ metadata }) => metadata.name));
  const missing = planned.find(({ name }) => !present.has(name));
  if (missing !== undefined) {
    const action = { type: 'createSlice', slice: missing, synthesisUUID: flight.uuid ?? '' } as const;
    return { reason: 'CreateSlice', action };
  }
  const currentSynthesis: Synthesis = {
    ...flight,
    synthesized: formatTime(now),
    resourceSlices: planned.map(({ name }) => ({ name })),
    ...(output.results.length > 0 && { results: [...output.results] }),
  };
  const { currentSynthesis: previousSynthesis } = composition.status ?? {};
  const status = { currentSynthesis, inFlightSynthesis: undefined, ...defined({ previousSynthesis }) };
  return { reason: 'Synthesized', status };
}

/** Without the finalizer, which a webhook may have kept off, its inventory would go before its objects are pruned. */
function isDeletable(slice: ResourceSlice): boolean {
  return hasFinalizer(slice, CLEANUP_FINALIZER) || (slice.status?.inventory ?? []).length === 0;
}

/** Nothing is left of earlier syntheses but what the status says. */
function settle({ composition, slices, synthesis }: Parts): SynthesisStep {
  const isPresent = ({ metadata }: Stored): boolean => metadata.deletionTimestamp === undefined;
  const pod = synthesis.pods.find(isPresent);
  if (pod !== undefined) return { reason: 'DeletePod', action: { type: 'deletePod', pod } };
  const { resourceSlices = [] } = composition.status?.currentSynthesis ?? {};
  const listed = new Set(resourceSlices.map(({ name = '' }) => name));
  const dropped = slices.filter((slice) => isPresent(slice) && !listed.has(slice.metadata.name));
  const slice = dropped.find(isDeletable);
  if (slice !== undefined) return { reason: 'DeleteSlice', action: { type: 'deleteSlice', slice } };
  if (dropped.length > 0) return { reason: 'Pruning' };
  const hasInputs = (synthesis.synthesizer.spec?.refs ?? []).length > 0;
  return { reason: 'UpToDate', ...(hasInputs && { requeueAfter: INPUTS_MS }) };
}
