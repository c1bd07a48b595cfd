import { defined, formatTime, jsonEqual, type Stored } from '@kubewright/kube';
import type { Composition, CompositionStatus, ResourceSlice, ResourceState, Synthesis } from '../api.ts';

type Syntheses = {
  readonly currentSynthesis: Synthesis;
  readonly previousSynthesis: Synthesis | undefined;
};

/** The synthesis that these slices are. Where they are others than before, that one becomes the previous synthesis. */
export function synthesisOf(
  { metadata, status }: Composition,
  slices: readonly Stored<ResourceSlice>[],
  states: readonly ResourceState[],
  now: Date,
): Syntheses {
  const before = status?.currentSynthesis;
  const resourceSlices = slices.map((slice) => ({ name: slice.metadata.name }));
  const isSame = before !== undefined && jsonEqual(resourceSlices, before.resourceSlices ?? []);
  const synthesis = defined({
    uuid: sharedUuid(slices),
    observedCompositionGeneration: metadata.generation,
    synthesized: (isSame ? before.synthesized : undefined) ?? formatTime(now),
    resourceSlices,
  });
  const { reconciled, ready } = isSame ? before : {};
  return {
    currentSynthesis: withProgress({ ...synthesis, ...defined({ reconciled, ready }) }, states, now),
    previousSynthesis: isSame ? status?.previousSynthesis : before,
  };
}

/** The synthesis with the times since when all of its objects are reconciled and ready. */
export function withProgress(synthesis: Synthesis, states: readonly ResourceState[], now: Date): Synthesis {
  const { reconciled: since, ready: readySince, ...rest } = synthesis;
  if (!states.every((state) => state.reconciled === true)) return rest;
  const reconciled = since ?? formatTime(now);
  const isReady = states.every((state) => state.ready !== undefined);
  if (!isReady) return { ...rest, reconciled };
  return { ...rest, reconciled, ready: latest(states) ?? readySince ?? reconciled };
}

/** The synthesis that all slices name. */
function sharedUuid(slices: readonly ResourceSlice[]): string | undefined {
  const [uuid, ...others] = new Set(slices.map(({ spec }) => spec?.synthesisUUID ?? ''));
  return uuid === '' || others.length > 0 ? undefined : uuid;
}

function latest(states: readonly ResourceState[]): string | undefined {
  return states
    .flatMap(({ ready }) => ready ?? [])
    .toSorted()
    .at(-1);
}

/** The status in one word, with the greatest error of its objects, as in the original. */
export function simplify(
  synthesis: Synthesis,
  states: readonly ResourceState[],
): NonNullable<CompositionStatus['simplified']> {
  const error = states
    .flatMap(({ reconciliationError }) => reconciliationError ?? [])
    .toSorted()
    .at(-1);
  if (synthesis.reconciled === undefined) return { status: 'Reconciling', ...defined({ error }) };
  return { status: synthesis.ready === undefined ? 'NotReady' : 'Ready' };
}
