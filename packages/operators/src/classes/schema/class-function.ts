import { s } from '@kubewright/kube';
import { described } from '../../kit/described.ts';

const { count, flag, port, text } = described;

const provisionConfig = s.object(
  {
    container_image: s.optional(
      text('The image of the container. Required for a function without wasm_module_url.'),
    ),
    wasm_module_url: s.optional(
      text(
        'Where the WASM module of the function is. Such a function runs in the data grid and has no workload of its own.',
      ),
    ),
    port: s.optional(
      port(
        'The port that the container listens on. Default: 80 in a Deployment, 8080 with the template knative.',
      ),
    ),
    max_concurrency: s.optional(
      count(
        'How many requests a pod gets at once, with the template knative only. Default: 0, which is no limit.',
      ),
    ),
    need_http2: s.optional(flag('Whether the container speaks HTTP/2 without TLS. Default: false.')),
    cpu_request: s.optional(
      text('The CPU that each pod requests, as 500m. With the dimension cpu enforced it is the least.'),
    ),
    memory_request: s.optional(
      text(
        'The memory that each pod requests, as 256Mi. With the dimension memory enforced it is the least.',
      ),
    ),
    cpu_limit: s.optional(text('The CPU limit of each pod, as 1. Default: none.')),
    memory_limit: s.optional(text('The memory limit of each pod, as 512Mi. Default: none.')),
    min_scale: s.optional(
      count(
        'How many replicas there are at least, also when recommendations are enforced. Default: 1 in a Deployment, 0 with the template knative.',
      ),
    ),
    max_scale: s.optional(
      count(
        'How many replicas there are at most. Default: the setting OPRC_CRM_LIMITS_MAX_REPLICAS for what is enforced; no limit for Knative itself.',
      ),
    ),
  },
  {
    description: 'What runs the function.',
    validations: [
      {
        rule: '!has(self.min_scale) || !has(self.max_scale) || self.min_scale <= self.max_scale',
        message: 'min_scale must not be greater than max_scale',
      },
    ],
  },
);

export const classFunction = s.object(
  {
    function_key: s.string({
      minLength: 1,
      description: 'The key of the function, as shop.cart.add. It is unique in the class.',
    }),
    description: s.optional(text('What the function does, for people.')),
    available_location: s.optional(
      text('Where the function may run, for package managers. Pods are placed by spec.placement.'),
    ),
    qos_requirement: s.optional(
      s.object(
        {
          throughput: s.optional(s.number({ description: 'The throughput that is wanted.' })),
          availability: s.optional(s.number({ description: 'The availability that is wanted.' })),
        },
        { description: 'What the function should achieve, for package managers. It has no effect here.' },
      ),
    ),
    config: s.optional(
      s.record(text('The value of the variable.'), {
        description:
          'Environment variables of the container. They take precedence over those of the platform, as ODGM_SERVICE and OTEL_SERVICE_NAME.',
      }),
    ),
    provision_config: s.optional(provisionConfig),
  },
  { description: 'One function.' },
);
