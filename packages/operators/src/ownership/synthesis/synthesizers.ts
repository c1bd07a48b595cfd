import { corev1, type CustomObject, customResource, type Infer, s } from '@kubewright/kube';
import { partOf } from '@kubewright/runtime';
import { anyName, dnsLabel } from '../../kit/name-schemas.ts';
import { GROUP } from '../api.ts';

const synthesizerSpec = s.object(
  {
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
          resource: s.object(
            {
              group: s.optional(s.string({ description: 'The API group of the object. Absent: core.' })),
              version: s.optional(s.string({ description: 'The version at which it is read. Default v1.' })),
              kind: s.string({ description: 'Its kind. A Secret cannot be an input.' }),
              name: s.optional(
                anyName({ description: 'The same object for every Composition; no binding is needed.' }),
              ),
              namespace: s.optional(
                dnsLabel({
                  description: 'The namespace of the object with that name. Absent: its kind has none.',
                }),
              ),
            },
            { description: 'The kind of the object that is the input, or that object itself.' },
          ),
        }),
        { maxItems: 20, description: 'The inputs of the pod: objects of the cluster.' },
      ),
    ),
    podOverrides: s.optional(
      s.object(
        {
          labels: s.optional(s.record(s.string(), { description: 'Labels of the pods.' })),
          annotations: s.optional(s.record(s.string(), { description: 'Annotations of the pods.' })),
          resources: s.optional(
            s.object(
              {
                limits: s.optional(
                  s.record(s.quantity(), { description: 'The most of each resource that it may use.' }),
                ),
                requests: s.optional(
                  s.record(s.quantity(), { description: 'How much of each resource is set aside for it.' }),
                ),
              },
              { description: 'What the container may use, as in a pod.' },
            ),
          ),
        },
        { description: 'What the pods have beside what the operator gives them.' },
      ),
    ),
  },
  { description: 'The pod, and its inputs.' },
);

const synthesizer = s.object(
  { spec: s.optional(synthesizerSpec) },
  { description: 'How the manifests of Compositions are made: a pod that prints them.' },
);

/** How the manifests of Compositions are made: a pod that prints them. */
export const SYNTHESIZERS = customResource({
  group: GROUP,
  version: 'v1',
  scope: 'Cluster',
  kind: 'Synthesizer',
  plural: 'synthesizers',
  shortNames: ['synth'],
  categories: ['kubewright'],
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
