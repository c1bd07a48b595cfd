import { corev1, type CustomObject, customResource, type Infer, s } from '@kubewright/kube';
import { partOf } from '@kubewright/runtime';
import { anyName, dnsLabel } from '../../kit/name-schemas.ts';
import { GROUP } from '../api.ts';

const synthesizerSpec = s.object({
  image: s.optional(
    s.string({
      description:
        'The image of the pod that synthesizes. Absent: another program writes the slices and the status.',
    }),
  ),
  command: s.optional(s.list(s.string(), { description: 'Default: synthesize, as in the original.' })),
  podTimeout: s.optional(s.string({ description: 'How long a pod may take, as 90s or 2m. Default 2m.' })),
  refs: s.optional(
    s.list(
      s.object({
        key: s.string({ description: 'The key of a binding of the Composition, and of the input.' }),
        resource: s.object({
          group: s.optional(s.string()),
          version: s.optional(s.string()),
          kind: s.string(),
          name: s.optional(
            anyName({ description: 'The same object for every Composition; no binding is needed.' }),
          ),
          namespace: s.optional(dnsLabel()),
        }),
      }),
      { maxItems: 20 },
    ),
  ),
  podOverrides: s.optional(
    s.object({
      labels: s.optional(s.record(s.string())),
      annotations: s.optional(s.record(s.string())),
      resources: s.optional(
        s.object({
          limits: s.optional(s.record(s.quantity())),
          requests: s.optional(s.record(s.quantity())),
        }),
      ),
    }),
  ),
});

const synthesizer = s.object({ spec: s.optional(synthesizerSpec) });

/** How the manifests of Compositions are made: a pod that prints them. */
export const SYNTHESIZERS = customResource({
  group: GROUP,
  version: 'v1',
  scope: 'Cluster',
  kind: 'Synthesizer',
  plural: 'synthesizers',
  schema: synthesizer,
  columns: [
    { name: 'Image', type: 'string', jsonPath: '.spec.image' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type Synthesizer = CustomObject<Infer<typeof synthesizer>, 'Cluster'>;
export type SynthesizerSpec = Infer<typeof synthesizerSpec>;

/** Labels of the pods that synthesize. */
export const POD_LABELS = {
  /** The uuid of the synthesis. */
  synthesis: `${GROUP}/synthesis-uuid`,
  attempt: `${GROUP}/synthesis-attempt`,
} as const;

/** Only these pods are cached. */
export const SYNTHESIS_PODS = partOf(corev1.pods, 'synthesis', { labelSelector: POD_LABELS.synthesis });
