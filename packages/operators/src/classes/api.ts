import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';

// Field names, and which fields there are, are those of the original API; what is ours is marked as an addition.

/** The field manager of all that is applied. */
export const FIELD_MANAGER = 'oprc-crm';
/** As whom Events are recorded. */
export const COMPONENT = 'oprc-crm';
export const GROUP = 'oaas.io';
export const FINALIZER = 'oaas.io/finalizer';

export const LABELS = {
  /** On every child and its pods: the name of the ClassRuntime. */
  owner: 'oaas.io/owner',
  /** On the data grid: `<package>.<class>`. */
  class: 'oaas.io/class',
} as const;

export const ANNOTATIONS = {
  /** `"true"`: nothing is decided. */
  paused: 'oaas.io/paused',
  /** On a child: the object is left alone, also as an orphan. */
  ignore: 'oaas.io/ignore',
  /** On a child: hash of what was applied. */
  appliedHash: 'oaas.io/applied-hash',
  /** On a pod: hash of the template that it was made from. */
  templateHash: 'oaas.io/template-hash',
  /** On a pod: its function speaks HTTP/2. */
  http2: 'oaas.io/http2',
} as const;

const int64 = s.integer({ format: 'int64' });
const count = s.integer({ minimum: 0 });
const port = s.integer({ minimum: 1, maximum: 65535 });

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

const odgmConfig = s.object({
  collections: s.optional(s.list(s.string())),
  partition_count: s.integer({ minimum: 1, default: 1 }),
  replica_count: s.integer({ minimum: 1, default: 1 }),
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

const classFunction = s.object({
  function_key: s.string({ minLength: 1 }),
  description: s.optional(s.string()),
  available_location: s.optional(s.string()),
  qos_requirement: s.optional(
    s.object({ throughput: s.optional(s.number()), availability: s.optional(s.number()) }),
  ),
  config: s.optional(s.record(s.string())),
  provision_config: s.optional(provisionConfig),
});

const spec = s.object({
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
  paused: s.optional(s.boolean({ description: 'Addition: nothing is decided.' })),
});

const PHASES = ['pending', 'applying', 'progressing', 'available', 'degraded', 'deleting'] as const;

const lifecycle = s.object(
  {
    reason: s.string({ description: 'Of the phase.' }),
    since: s.time(),
    progress_at: s.time(),
    ready: count,
    total: count,
    unready_since: s.optional(s.time()),
    applied_generation: s.optional(int64),
    applied_hash: s.optional(s.string()),
    applied_at: s.optional(s.time()),
    refused: s.optional(
      s.object(
        {
          reason: s.string(),
          message: s.string(),
          generation: int64,
          hash: s.string(),
          at: s.time(),
        },
        { description: 'The last apply that the server rejected for good.' },
      ),
    ),
    reasons: s.optional(s.list(s.string())),
  },
  { description: 'Addition: all timers are computed from this and the observed objects.' },
);

const functionStatus = s.object({
  function_key: s.string(),
  service: s.string(),
  port,
  predicted_url: s.string(),
  observed_url: s.optional(s.string()),
  template: s.string(),
  ready: s.optional(s.boolean()),
  reason: s.optional(s.string()),
  message: s.optional(s.string()),
  lastTransitionTime: s.optional(s.time()),
});

const applied = s.object({
  component: s.string(),
  dimension: s.string(),
  target: s.number(),
  basis: s.optional(s.string()),
  confidence: s.optional(s.number()),
});

const status = s.object({
  phase: s.optional(s.oneOf(PHASES)),
  message: s.optional(s.string()),
  observed_generation: s.optional(int64),
  observedGeneration: s.optional(int64),
  last_updated: s.optional(s.time()),
  conditions: s.optional(s.conditions()),
  resource_refs: s.optional(s.list(s.object({ kind: s.string(), name: s.string() }))),
  nfr_recommendations: s.optional(s.record(s.number())),
  last_applied_recommendations: s.optional(s.list(applied)),
  last_applied_at: s.optional(s.time()),
  routers: s.optional(s.list(s.object({ service: s.string(), port }))),
  functions: s.optional(s.mapList(functionStatus, ['function_key'])),
  lifecycle: s.optional(lifecycle),
});

const classRuntime = s.object({ spec, status: s.optional(status) });

/** One class: functions, and the data grid that keeps its objects. */
export const CLASS_RUNTIMES = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'ClassRuntime',
  plural: 'classruntimes',
  shortNames: ['crt'],
  scope: 'Namespaced',
  schema: classRuntime,
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Available', type: 'string', jsonPath: '.status.conditions[?(@.type=="Available")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.lifecycle.reason' },
    { name: 'Template', type: 'string', jsonPath: '.status.functions[0].template' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type ClassRuntime = Stored<CustomObject<Infer<typeof classRuntime>>>;
export type ClassRuntimeStatus = Infer<typeof status>;
export type ClassFunction = Infer<typeof classFunction>;
export type OdgmConfig = Infer<typeof odgmConfig>;
export type FunctionStatus = Infer<typeof functionStatus>;
export type Lifecycle = Infer<typeof lifecycle>;
export type Refused = NonNullable<Lifecycle['refused']>;
export type Phase = (typeof PHASES)[number];

/** Why a phase is what it is; also the words of Events and conditions. */
export type Reason =
  | 'Pending'
  | 'Applying'
  | 'Progressing'
  | 'ReadinessLost'
  | 'Recovering'
  | 'Ready'
  | 'Deleting'
  | DegradedReason;

/** In the order of their weight: the first that holds is the condition's reason. */
export const DEGRADED_REASONS = [
  'ApplyInvalid',
  'NotOwned',
  'Conflict',
  'ApplyForbidden',
  'ImagePull',
  'ContainerConfig',
  'CrashLoop',
  'ChildMissing',
  'ReplicaFailure',
  'Unschedulable',
  'Timeout',
] as const;

export type DegradedReason = (typeof DEGRADED_REASONS)[number];
