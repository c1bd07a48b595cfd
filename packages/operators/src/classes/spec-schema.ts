import { s } from '@kubewright/kube';

export const int64 = s.integer({ format: 'int64' });
export const count = s.integer({ minimum: 0 });
export const port = s.integer({ minimum: 1, maximum: 65535 });

const fnRoute = s.object({
  url: s.string(),
  wasm_module_url: s.optional(s.string()),
  stateless: s.optional(s.boolean()),
  standby: s.optional(s.boolean()),
  active_group: s.optional(s.list(int64)),
  function_key: s.optional(s.string()),
});

const shardAssignment = s.object({
  primary: s.optional(int64),
  replica: s.optional(s.list(int64)),
  shard_ids: s.optional(s.list(int64)),
});

/** Each is looked at, one by one: together no more than a process of everybody can carry. */
export const GRID_LIMITS = { collections: 100, partitions: 1024, replicas: 64 } as const;

export const odgmConfig = s.object({
  collections: s.optional(s.list(s.string(), { maxItems: GRID_LIMITS.collections })),
  partition_count: s.integer({ minimum: 1, maximum: GRID_LIMITS.partitions, default: 1 }),
  replica_count: s.integer({ minimum: 1, maximum: GRID_LIMITS.replicas, default: 1 }),
  shard_type: s.optional(s.string()),
  invocations: s.optional(
    s.object({
      fn_routes: s.optional(s.record(fnRoute)),
      disabled_fn: s.optional(s.list(s.string())),
    }),
  ),
  options: s.optional(s.record(s.string())),
  log: s.optional(s.string()),
  env_node_ids: s.optional(s.record(s.list(int64))),
  node_id: s.optional(int64),
  collection_assignments: s.optional(s.record(s.list(shardAssignment))),
});

const texts = s.optional(s.list(s.string({ minLength: 1 })));

const placement = s.object(
  {
    regions: texts,
    zones: texts,
    hw_classes: texts,
    spread: s.optional(s.oneOf(['zone', 'node', 'none'])),
    node_selector: s.optional(s.record(s.string())),
    tolerations: s.optional(
      s.list(
        s.object({
          key: s.optional(s.string()),
          operator: s.optional(s.oneOf(['Exists', 'Equal'])),
          value: s.optional(s.string()),
          effect: s.optional(s.oneOf(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
          tolerationSeconds: s.optional(int64),
        }),
      ),
    ),
  },
  { description: 'Addition: where the pods of the class run.' },
);

const rollout = s.object(
  { strategy: s.oneOf(['all', 'sequential'], { default: 'all' }) },
  { description: 'Addition: whether all functions are updated at once, or one after the other.' },
);

const probes = s.object(
  {
    type: s.oneOf(['tcp', 'http', 'grpc', 'none'], { default: 'tcp' }),
    path: s.optional(s.string({ description: 'Of http; default /.' })),
  },
  { description: 'Addition: how Kubernetes probes the functions; with Knative, Knative does it itself.' },
);

/** Two workloads with one node id would own the same shards: there is no way from one to the other. */
const odgmWorkload = s.object(
  { workload: s.oneOf(['Deployment', 'StatefulSet'], { default: 'Deployment' }) },
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

const provisionConfig = s.object(
  {
    container_image: s.optional(s.string()),
    wasm_module_url: s.optional(s.string()),
    port: s.optional(port),
    max_concurrency: s.optional(count),
    need_http2: s.optional(s.boolean()),
    cpu_request: s.optional(s.string()),
    memory_request: s.optional(s.string()),
    cpu_limit: s.optional(s.string()),
    memory_limit: s.optional(s.string()),
    min_scale: s.optional(count),
    max_scale: s.optional(count),
  },
  {
    validations: [
      {
        rule: '!has(self.min_scale) || !has(self.max_scale) || self.min_scale <= self.max_scale',
        message: 'min_scale must not be greater than max_scale',
      },
    ],
  },
);

export const classFunction = s.object({
  function_key: s.string({ minLength: 1 }),
  description: s.optional(s.string()),
  available_location: s.optional(s.string()),
  qos_requirement: s.optional(
    s.object({ throughput: s.optional(s.number()), availability: s.optional(s.number()) }),
  ),
  config: s.optional(s.record(s.string())),
  provision_config: s.optional(provisionConfig),
});

const seconds = s.optional(s.integer({ minimum: 0, maximum: 2_147_483_647 }));

export const timeouts = s.object(
  {
    progress_timeout_secs: seconds,
    unready_grace_secs: seconds,
    recovery_stable_secs: seconds,
    crashloop_restarts: seconds,
    imagepull_grace_secs: seconds,
    unschedulable_grace_secs: seconds,
    replica_failure_grace_secs: seconds,
    orphan_grace_secs: seconds,
    cache_lag_secs: seconds,
    odgm_grace_secs: seconds,
    analyzer_interval_secs: seconds,
    nfr_max_age_secs: seconds,
    enforcement_stability_secs: seconds,
    enforcement_down_stability_secs: seconds,
    enforcement_cooldown_secs: seconds,
  },
  { description: 'Addition: overrides of the OPRC_CRM_* settings of the process for this class.' },
);

export const specSchema = s.object({
  package_class_key: s.optional(s.string({ description: '<package>.<class>' })),
  selected_template: s.optional(s.string({ description: 'Name or alias of a template; absent: by score.' })),
  addons: s.list(s.string(), { nullable: true, default: ['odgm'] }),
  odgm_config: s.optional(odgmConfig),
  functions: s.mapList(classFunction, ['function_key'], { default: [] }),
  nfr_requirements: s.optional(
    s.object({
      min_throughput_rps: s.optional(count),
      max_latency_ms: s.optional(count),
      availability_pct: s.optional(s.number()),
      consistency: s.optional(s.oneOf(['eventual', 'strong'])),
    }),
  ),
  enforcement: s.optional(
    s.object({ mode: s.optional(s.string()), dimensions: s.optional(s.list(s.string())) }),
  ),
  telemetry: s.optional(
    s.object({
      enabled: s.optional(s.boolean()),
      traces: s.optional(s.boolean()),
      metrics: s.optional(s.boolean()),
      logs: s.optional(s.boolean()),
      sampling_rate: s.optional(s.number({ minimum: 0, maximum: 1 })),
      service_name: s.optional(s.string()),
      resource_attributes: s.optional(s.record(s.string())),
    }),
  ),
  placement: s.optional(placement),
  probes: s.optional(probes),
  rollout: s.optional(rollout),
  odgm: s.optional(odgmWorkload),
  paused: s.optional(s.boolean({ description: 'Addition: pauses reconciliation.' })),
  timeouts: s.optional(timeouts),
});
