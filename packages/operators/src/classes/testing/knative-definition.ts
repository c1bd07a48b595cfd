import { customResource, s } from '@kubewright/kube';

const int32 = s.integer({ format: 'int32' });

const port = s.object({
  name: s.optional(s.string()),
  containerPort: int32,
  protocol: s.string({ default: 'TCP' }),
});

const container = s.object({
  name: s.optional(s.string()),
  image: s.optional(s.string()),
  env: s.optional(s.list(s.object({ name: s.string(), value: s.optional(s.string()) }))),
  ports: s.optional(s.mapList(port, ['containerPort', 'protocol'])),
  resources: s.optional(
    s.object({
      requests: s.optional(s.record(s.quantity())),
      limits: s.optional(s.record(s.quantity())),
    }),
  ),
});

const template = s.object({
  metadata: s.optional(
    s.object({ labels: s.optional(s.record(s.string())), annotations: s.optional(s.record(s.string())) }),
  ),
  spec: s.object({
    containers: s.list(container),
    containerConcurrency: s.optional(s.integer({ format: 'int64' })),
    timeoutSeconds: s.optional(s.integer({ format: 'int64' })),
  }),
});

const condition = s.object({
  type: s.string(),
  status: s.string(),
  reason: s.optional(s.string()),
  message: s.optional(s.string()),
  severity: s.optional(s.string()),
  lastTransitionTime: s.optional(s.time()),
});

const status = s.object({
  observedGeneration: s.optional(s.integer({ format: 'int64' })),
  conditions: s.optional(s.list(condition)),
  latestCreatedRevisionName: s.optional(s.string()),
  latestReadyRevisionName: s.optional(s.string()),
  url: s.optional(s.string()),
  address: s.optional(s.object({ url: s.optional(s.string()) })),
});

/**
 * Services of Knative with the fields of its own definition, and its kinds of lists, as far as classes use them. What is not
 * named here is pruned, as Knative's definition prunes what it does not name.
 */
export const KNATIVE_DEFINITION = customResource({
  group: 'serving.knative.dev',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  shortNames: ['kservice', 'ksvc'],
  scope: 'Namespaced',
  schema: s.object({ spec: s.object({ template }), status: s.optional(status) }),
}).definition;
