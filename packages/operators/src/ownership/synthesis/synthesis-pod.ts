import {
  type corev1,
  defined,
  formatTime,
  ownerReferenceTo,
  type Stored,
  stringifyJson,
} from '@kubewright/kube';
import { parseDuration } from '../../kit/parse-duration.ts';
import { type Composition, GROUP, type Synthesis } from '../api.ts';
import type { Inputs } from './inputs.ts';
import { POD_LABELS, type Synthesizer, type SynthesizerSpec } from './synthesizers.ts';

/** A kernel passes no larger variable to a program. */
const MAX_INPUT = 120 * 1024;
const TIMEOUT_MS = 2 * 60_000;
const DEFAULT_COMMAND = ['synthesize'];
/** Names of pods and slices: what follows it needs 40 characters of the 253. */
const MAX_NAME = 200;

/** When the operator made a pod, by its own clock: the API server's may be another time. */
const STARTED = `${GROUP}/started`;

/** When the pod was made, in milliseconds. */
export function startedAt({ metadata }: Stored<corev1.Pod>): number {
  const { annotations = {}, creationTimestamp } = metadata;
  return Date.parse(annotations[STARTED] ?? creationTimestamp ?? '');
}

/** How long a pod of this synthesizer may take, in milliseconds. */
export function podTimeout({ spec }: Synthesizer): number {
  return Math.max(parseDuration(spec?.podTimeout ?? '') ?? TIMEOUT_MS, 1000);
}

/** The beginning of the names of what belongs to a synthesis. */
export function synthesisName({ metadata }: Stored<Composition>, { uuid = '' }: Synthesis): string {
  return `${metadata.name.slice(0, MAX_NAME)}-${uuid.slice(0, 8)}`;
}

/** What a synthesizer reads in the variable `ENO_INPUT`, or why it is not possible. */
export function inputText(inputs: Extract<Inputs, { ok: true }>): string | undefined {
  const list = { apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items: [...inputs.items] };
  const text = stringifyJson(list);
  return text.length <= MAX_INPUT ? text : undefined;
}

/** What the pods of all attempts have: {@link inputText}, and the time. */
type PodInput = { readonly input: string; readonly now: Date };

/**
 * The pod of one attempt. It gets no token of the API: a synthesizer computes, and the operator writes. The Composition owns
 * it, so it goes with it.
 */
export function synthesisPod(
  composition: Stored<Composition>,
  synthesizer: Stored<Synthesizer>,
  flight: Synthesis,
  { input, now }: PodInput,
): corev1.Pod {
  const { spec = {} } = synthesizer;
  const { labels, annotations } = spec.podOverrides ?? {};
  const { uuid = '', attempts = 1 } = flight;
  const own = { [`${GROUP}/synthesizer`]: synthesizer.metadata.name, [STARTED]: formatTime(now) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${synthesisName(composition, flight)}-${attempts}`,
      namespace: composition.metadata.namespace,
      labels: { ...labels, [POD_LABELS.synthesis]: uuid, [POD_LABELS.attempt]: String(attempts) },
      annotations: { ...annotations, ...own },
      ownerReferences: [ownerReferenceTo(composition, { controller: true })],
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      activeDeadlineSeconds: Math.ceil(podTimeout(synthesizer) / 1000),
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      containers: [containerOf(spec, environment(composition, input))],
    },
  };
}

function containerOf(spec: SynthesizerSpec, env: readonly corev1.EnvVar[]): corev1.Container {
  const { image = '', command = DEFAULT_COMMAND, podOverrides } = spec;
  return {
    name: 'synthesizer',
    image,
    command,
    env,
    securityContext: { allowPrivilegeEscalation: false },
    // A quantity may be a number, which the server takes too.
    ...defined({ resources: podOverrides?.resources as corev1.ResourceRequirements | undefined }),
  };
}

/** The operator's variables come last: those of the Composition cannot replace them. */
function environment({ metadata, spec }: Stored<Composition>, input: string): readonly corev1.EnvVar[] {
  const own = {
    COMPOSITION_NAME: metadata.name,
    COMPOSITION_NAMESPACE: metadata.namespace,
    // A kubelet replaces $(NAME), and $$ by $.
    ENO_INPUT: input.replaceAll('$', '$$$$'),
  };
  const all = Object.entries(own).map(([name, value]) => ({ name, value }));
  return [...(spec?.synthesisEnv ?? []), ...all];
}
