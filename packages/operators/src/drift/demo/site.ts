import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';

const schema = s.object({
  spec: s.object({ color: s.string() }),
  status: s.optional(
    s.object({
      observedGeneration: s.optional(s.integer({ format: 'int64' })),
      conditions: s.optional(s.conditions()),
    }),
  ),
});

/** A sample kind: its controller makes a ConfigMap for each object. */
export const SITES = customResource({
  group: 'demo.kubewright.io',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  scope: 'Namespaced',
  schema,
  columns: [
    { name: 'Color', type: 'string', jsonPath: '.spec.color' },
    { name: 'Generation', type: 'integer', jsonPath: '.metadata.generation' },
    { name: 'Observed', type: 'integer', jsonPath: '.status.observedGeneration' },
  ],
});

export type Site = Stored<CustomObject<Infer<typeof schema>>>;
