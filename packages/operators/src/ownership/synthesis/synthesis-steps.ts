import { keyOf } from '@kubewright/client';
import { controllerOf, corev1, ownerReferenceTo, type Stored } from '@kubewright/kube';
import type { Cache, Io } from '@kubewright/runtime';
import { type Composition, COMPOSITIONS, RESOURCE_SLICES, type Synthesis } from '../api.ts';
import { type ObservedSynthesis, podOf, type SynthesisAction } from './decide-synthesis.ts';
import { readInputs } from './inputs.ts';
import { OUTPUT_LIMIT, readOutput } from './read-output.ts';
import { SYNTHESIS_PODS, SYNTHESIZERS } from './synthesizers.ts';

const BY_COMPOSITION = 'composition';
/** Index of Compositions by the name of their synthesizer. */
export const BY_SYNTHESIZER = 'synthesizer';

/** Adds the indexes that {@link observeSynthesis} reads. */
export function addSynthesisIndexes(cache: Cache): void {
  cache.addIndex(SYNTHESIS_PODS, BY_COMPOSITION, (pod) => [controllerOf(pod)?.uid ?? []].flat());
  cache.addIndex(COMPOSITIONS, BY_SYNTHESIZER, ({ spec }) => [spec?.synthesizer?.name ?? []].flat());
}

/** Undefined for a Composition whose slices another program writes: its synthesizer has no image here. */
export async function observeSynthesis(
  composition: Stored<Composition>,
  { cache, client, signal }: Io,
): Promise<ObservedSynthesis | undefined> {
  const name = composition.spec?.synthesizer?.name;
  const synthesizer = name === undefined ? undefined : cache.get(SYNTHESIZERS, { name });
  if (synthesizer?.spec?.image === undefined) return undefined;
  const pods = cache.byIndex(SYNTHESIS_PODS, BY_COMPOSITION, composition.metadata.uid);
  const inputs = await readInputs(composition, synthesizer, client, signal);
  const pod = succeeded(pods, composition.status?.inFlightSynthesis);
  const log = pod && (await client.podLog(keyOf(pod), { limitBytes: OUTPUT_LIMIT, signal }));
  return { synthesizer, inputs, pods, output: log === undefined ? undefined : readOutput(log) };
}

/** The pod of the current attempt, once it has printed everything. */
function succeeded(
  pods: readonly Stored<corev1.Pod>[],
  flight: Synthesis | undefined,
): Stored<corev1.Pod> | undefined {
  const pod = flight && podOf(pods, flight);
  return pod?.status?.phase === 'Succeeded' ? pod : undefined;
}

/** Carries out one step. What is there already, or gone already, is a conflict: the cache is behind. */
export async function actOnSynthesis(
  action: SynthesisAction,
  composition: Stored<Composition>,
  { client }: Io,
): Promise<void> {
  switch (action.type) {
    case 'createPod':
      await client.create(corev1.pods, action.pod);
      return;
    case 'deletePod':
      await client.delete(corev1.pods, keyOf(action.pod), {
        preconditions: { uid: action.pod.metadata.uid },
      });
      return;
    case 'createSlice': {
      const { name, resources } = action.slice;
      const ownerReferences = [ownerReferenceTo(composition, { controller: true, blockOwnerDeletion: true })];
      await client.create(RESOURCE_SLICES, {
        apiVersion: 'eno.azure.io/v1',
        kind: 'ResourceSlice',
        metadata: { name, namespace: composition.metadata.namespace ?? '', ownerReferences },
        spec: { synthesisUUID: action.synthesisUUID, resources },
      });
      return;
    }
    case 'deleteSlice': {
      // As it was decided on: it may have put objects on record since.
      const { uid, resourceVersion } = action.slice.metadata;
      await client.delete(RESOURCE_SLICES, keyOf(action.slice), { preconditions: { uid, resourceVersion } });
    }
  }
}
