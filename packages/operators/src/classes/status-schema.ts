import { s } from '@kubewright/kube';
import { REQUEST_FORMS } from './class-load.ts';
import { count, int64, port } from './spec-schema.ts';

export const PHASES = ['pending', 'applying', 'progressing', 'available', 'degraded', 'deleting'] as const;

export const lifecycle = s.object(
  {
    reason: s.string({ description: 'Reason of the phase.' }),
    since: s.time(),
    progress_at: s.time(),
    ready: count,
    total: count,
    unready_since: s.optional(s.time()),
    orphans_since: s.optional(s.time()),
    applied_generation: s.optional(int64),
    applied_hash: s.optional(s.string()),
    applied_at: s.optional(s.time()),
    apply_tries: s.optional(count),
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

export const functionStatus = s.object({
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

export const applied = s.object({
  component: s.string(),
  function_key: s.optional(s.string({ description: 'Addition.' })),
  dimension: s.string(),
  target: s.number(),
  basis: s.optional(s.string()),
  confidence: s.optional(s.number()),
});

const replicaTarget = s.object({ target: count, since: s.time() });

const failure = s.object({
  reason: s.string(),
  message: s.string(),
  at: s.time(),
  attempts: count,
  target: count,
  generation: int64,
});

const aim = {
  target: s.integer({ minimum: 0, description: 'The recommendation, clamped to its bounds.' }),
  since: s.time({ description: 'Since when the target has this value.' }),
  applied_at: s.optional(s.time()),
  applied_generation: s.optional(int64),
  failure: s.optional(failure),
};

export const enforcement = s.object({
  ...aim,
  clamped: s.optional(s.oneOf(['min', 'max'])),
  earlier: s.optional(
    s.list(replicaTarget, {
      description:
        'Earlier targets: those within the stability window, or those from which the target has only risen.',
    }),
  ),
  applying: s.optional(
    s.object(
      { replicas: count },
      { description: 'Written before the Deployment is scaled, so that enforcement resumes after a crash.' },
    ),
  ),
});

const size = { request: s.optional(count), limit: s.optional(count) };

/** One resource of a function: bytes of memory, or millicores. */
export const resourceDetail = s.object({
  dimension: s.oneOf(['memory', 'cpu']),
  recommended: s.integer({
    minimum: 0,
    description: 'Bytes of memory, or millicores, that each pod has to ask for.',
  }),
  observed_at: s.time({ description: 'When the recommendation got this value.' }),
  ...size,
  out_of_memory_at: s.optional(
    s.time({ description: 'When a container was last killed for want of memory.' }),
  ),
  decision: s.string({ description: 'What enforcement does about it, or why it does nothing.' }),
  enforcement: s.optional(
    s.object({
      ...aim,
      applying: s.optional(
        s.object(size, {
          description: 'Written before the Deployment, so that enforcement resumes after a crash.',
        }),
      ),
    }),
  ),
});

/** What was recommended, wanted and there from a moment on. */
export const replicaPoint = s.object({
  at: s.time(),
  recommended: count,
  target: s.optional(count),
  current: count,
});

export const nfrDetail = s.object({
  function_key: s.string(),
  recommended: s.integer({ minimum: 0, description: 'Replicas that the load needs.' }),
  basis: s.string({ description: 'The signals behind the recommendation.' }),
  histograms: s.optional(
    s.oneOf(REQUEST_FORMS, {
      description: 'The form in which the source has the histogram of requests, for throughput and latency.',
    }),
  ),
  observed_at: s.time({ description: 'When the recommendation got this value.' }),
  current: count,
  autoscaler: s.optional(
    s.string({ description: 'The HorizontalPodAutoscaler whose minReplicas follow the recommendation.' }),
  ),
  scaled_by: s.optional(
    s.string({
      description:
        'Who else has the replicas: an autoscaler, the object whose controller made that, or a field manager.',
    }),
  ),
  history: s.optional(s.list(replicaPoint, { description: 'Its last changes, the newest last.' })),
  decision: s.string({ description: 'What enforcement does about it, or why it does nothing.' }),
  enforcement: s.optional(enforcement),
  resources: s.optional(s.mapList(resourceDetail, ['dimension'])),
});

export const templateStatus = s.object(
  {
    selected: s.string(),
    reason: s.oneOf(['Named', 'Score', 'Fallback']),
    message: s.optional(s.string({ description: 'Why the named template is not used.' })),
    scores: s.record(s.number()),
  },
  { description: 'Addition: the selected template, and why.' },
);

const odgm = s.object(
  {
    ready: s.boolean(),
    reason: s.optional(s.string()),
    message: s.optional(s.string()),
    partitions: s.optional(count),
    healthy: s.optional(count),
    degraded: s.optional(count),
    lost: s.optional(count),
    unhealthy_since: s.optional(s.time()),
  },
  { description: 'Addition: what the data grid says of itself, where it is asked.' },
);

const nfrOdgm = s.object(
  {
    recommended: s.integer({ minimum: 0, description: 'Nodes that the load of the data grid needs.' }),
    observed_at: s.time({ description: 'When the recommendation got this value.' }),
    current: count,
    decision: s.string({ description: 'Why the data grid is not scaled.' }),
  },
  { description: 'Addition: nodes of the data grid.' },
);

const rollout = s.object(
  {
    updated: count,
    total: count,
    waiting_for: s.string({ description: 'What has to be ready before the next one is updated.' }),
  },
  { description: 'Addition: a rollout that updates one function after the other, while it waits.' },
);

export const statusSchema = s.object({
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
  nfr_details: s.optional(
    s.mapList(nfrDetail, ['function_key'], { description: 'Addition: replicas, per function.' }),
  ),
  nfr_odgm: s.optional(nfrOdgm),
  template: s.optional(templateStatus),
  rollout: s.optional(rollout),
  odgm: s.optional(odgm),
  lifecycle: s.optional(lifecycle),
});
