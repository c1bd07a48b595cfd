import { type CustomObject, customResource, type Infer, s } from '@kubewright/kube';

const schema = s.object({
  spec: s.object({
    image: s.string({ maxLength: 512, description: 'What the pods run. With a tag or a digest.' }),
    replicas: s.integer({ minimum: 0, maximum: 100, default: 1, description: 'How many pods run it.' }),
  }),
  status: s.optional(
    s.object({
      readyReplicas: s.integer({ description: 'How many pods are ready.' }),
      conditions: s.conditions(),
    }),
  ),
});

export type Sample = CustomObject<Infer<typeof schema>>;

/** The kind: its type, its CustomResourceDefinition, and its address in the API are made of one schema. */
export const samples = customResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Sample',
  plural: 'samples',
  scope: 'Namespaced',
  schema,
  columns: [
    { name: 'Image', type: 'string', jsonPath: '.spec.image' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ],
});
