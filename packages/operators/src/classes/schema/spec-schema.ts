import { s } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { classFunction } from './class-function.ts';
import { odgmConfig } from './odgm-config.ts';
import { timeouts } from './timeouts.ts';

const { count, flag, int64, text } = described;

const texts = (description: string) =>
  s.optional(s.list(s.string({ minLength: 1, description: 'One of them.' }), { description }));

const toleration = s.object(
  {
    key: s.optional(text('The taint that is tolerated. Empty, with the operator Exists: every taint.')),
    operator: s.optional(
      s.oneOf(['Exists', 'Equal'], {
        description: 'Whether the taint only has to exist, or to have the value. Default: Equal.',
      }),
    ),
    value: s.optional(text('The value of the taint, for Equal.')),
    effect: s.optional(
      s.oneOf(['NoSchedule', 'PreferNoSchedule', 'NoExecute'], {
        description: 'The effect of the taint. Default: every effect.',
      }),
    ),
    tolerationSeconds: s.optional(
      int64('For how many seconds a taint NoExecute is tolerated. Default: for ever.'),
    ),
  },
  { description: 'A toleration, as of a pod.' },
);

const placement = s.object(
  {
    regions: texts('Nodes in one of these regions: their label topology.kubernetes.io/region. Default: all.'),
    zones: texts('Nodes in one of these zones: their label topology.kubernetes.io/zone. Default: all.'),
    hw_classes: texts(
      'Nodes with one of these kinds of hardware: their label oaas.io/hw-class. Default: all.',
    ),
    spread: s.optional(
      s.oneOf(['zone', 'node', 'none'], {
        description: 'What the pods of a function are spread over; no pod waits for it. Default: none.',
      }),
    ),
    node_selector: s.optional(
      s.record(text('The value of the label.'), { description: 'Labels that nodes have to have.' }),
    ),
    tolerations: s.optional(s.list(toleration, { description: 'The taints that pods tolerate.' })),
  },
  { description: 'Addition: where the pods of the class run.' },
);

const rollout = s.object(
  {
    strategy: s.oneOf(['all', 'sequential'], {
      default: 'all',
      description:
        'all: all functions at once. sequential: the next one when the pods of the one before are of the new template.',
    }),
  },
  { description: 'Addition: whether all functions are updated at once, or one after the other.' },
);

const probes = s.object(
  {
    type: s.oneOf(['tcp', 'http', 'grpc', 'none'], {
      default: 'tcp',
      description: 'What is probed of the port of a function, for its readiness and its liveness.',
    }),
    path: s.optional(s.string({ description: 'Of http; default /.' })),
  },
  { description: 'Addition: how Kubernetes probes the functions; with Knative, Knative does it itself.' },
);

/** Two workloads with one node id would own the same shards: there is no way from one to the other. */
const odgmWorkload = s.object(
  {
    workload: s.oneOf(['Deployment', 'StatefulSet'], {
      default: 'Deployment',
      description:
        'StatefulSet: a pod of a new template waits until the old one is gone, even if its node does not respond. Immutable.',
    }),
  },
  {
    description: 'Addition: what runs the data grid.',
    validations: [
      {
        rule: 'self.workload == oldSelf.workload',
        message: 'workload is immutable: delete the class, and create it again',
      },
    ],
  },
);

const nfrRequirements = s.object(
  {
    min_throughput_rps: s.optional(
      count('Requests per second that each function has to serve: its replicas are recommended for as many.'),
    ),
    max_latency_ms: s.optional(
      count(
        'Milliseconds within which 99 of 100 requests are to be served: where they are not, one replica more is recommended. Default: 250.',
      ),
    ),
    availability_pct: s.optional(
      s.number({ description: 'The availability in percent, as 99.9. It counts for choosing a template.' }),
    ),
    consistency: s.optional(
      s.oneOf(['eventual', 'strong'], {
        description: 'How consistent the objects are. It counts for choosing a template.',
      }),
    ),
  },
  { description: 'What the class has to achieve (its non-functional requirements).' },
);

const enforcement = s.object(
  {
    mode: s.optional(
      text(
        'off or observe: recommendations are only reported. enforce: they are applied. Any other word is observe. Default: observe.',
      ),
    ),
    dimensions: s.optional(
      s.list(text('One dimension.'), {
        description:
          'What follows recommendations in mode enforce: replicas, memory, cpu. odgm_replicas only reports why the data grid is not scaled. Default: nothing.',
      }),
    ),
  },
  { description: 'Whether recommendations are applied. Default: they are only reported.' },
);

const telemetry = s.object(
  {
    enabled: s.optional(
      flag('Whether functions and data grid send telemetry. Default: the setting OPRC_CRM_OTEL_ENABLED.'),
    ),
    traces: s.optional(flag('Whether they send traces (OTEL_TRACES_ENABLED). Default: true.')),
    metrics: s.optional(flag('Whether they send metrics. It sets no variable of the containers.')),
    logs: s.optional(flag('Whether they send logs (OTEL_LOGS_ENABLED). Default: false.')),
    sampling_rate: s.optional(
      s.number({
        minimum: 0,
        maximum: 1,
        description: 'The share of traces that is kept (OTEL_TRACES_SAMPLER_ARG). Default: 0.1.',
      }),
    ),
    service_name: s.optional(
      text('OTEL_SERVICE_NAME of all containers. Default: the name of the class, or of its data grid.'),
    ),
    resource_attributes: s.optional(
      s.record(text('The value of the attribute.'), {
        description: 'Attributes of all that is sent (OTEL_RESOURCE_ATTRIBUTES).',
      }),
    ),
  },
  { description: 'What functions and data grid send by OpenTelemetry, to OPRC_CRM_OTEL_ENDPOINT.' },
);

export const specSchema = s.object(
  {
    package_class_key: s.optional(s.string({ description: '<package>.<class>' })),
    selected_template: s.optional(
      s.string({ description: 'Name or alias of a template; absent: by score.' }),
    ),
    addons: s.list(text('The name of an addon.'), {
      nullable: true,
      default: ['odgm'],
      description:
        'What the class has beside its functions: odgm is its data grid. An empty list is without; null is as the default.',
    }),
    odgm_config: s.optional(odgmConfig),
    functions: s.mapList(classFunction, ['function_key'], {
      default: [],
      description: 'The functions of the class. Each has a Deployment, or a Service of Knative.',
    }),
    nfr_requirements: s.optional(nfrRequirements),
    enforcement: s.optional(enforcement),
    telemetry: s.optional(telemetry),
    placement: s.optional(placement),
    probes: s.optional(probes),
    rollout: s.optional(rollout),
    odgm: s.optional(odgmWorkload),
    paused: s.optional(s.boolean({ description: 'Addition: pauses reconciliation.' })),
    timeouts: s.optional(timeouts),
  },
  { description: 'The class that is wanted.' },
);
