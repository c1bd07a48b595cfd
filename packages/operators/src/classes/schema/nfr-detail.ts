import { s } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { REQUEST_FORMS } from '../class-load.ts';

const { count, int64, text, time } = described;

const DECISION =
  'NoChange, Apply, or why nothing is applied now: SkipMode, SkipDimension, SkipDisabled, SkipOwned, SkipPhase, SkipStale, SkipPartial, SkipConflict, WaitCooldown, WaitStability, WaitRetry or GaveUp.';

const failure = s.object(
  {
    reason: text('EnforceConflict, EnforceInvalid, EnforceFallbackFailed or EnforceFailed.'),
    message: text('What the server said.'),
    at: time('When it failed last.'),
    attempts: count('How often it has failed: after four it is not tried again.'),
    target: count('The target that could not be set. Another target is tried at once.'),
    generation: int64('The generation of the class at that time. Another one is tried at once.'),
  },
  { description: 'Why the target could not be set. Absent: it could, or was not tried.' },
);

const aim = {
  target: s.integer({ minimum: 0, description: 'The recommendation, clamped to its bounds.' }),
  since: s.time({ description: 'Since when the target has this value.' }),
  applied_at: s.optional(time('When enforcement last changed something. The cooldown runs from here.')),
  applied_generation: s.optional(int64('The generation of the class that was applied at that time.')),
  failure: s.optional(failure),
};

const replicaTarget = s.object(
  {
    target: count('Replicas.'),
    since: time('Since when this was the target.'),
  },
  { description: 'One earlier target.' },
);

export const enforcement = s.object(
  {
    ...aim,
    clamped: s.optional(
      s.oneOf(['min', 'max'], {
        description: 'The bound that holds instead of the recommendation. Absent: neither.',
      }),
    ),
    earlier: s.optional(
      s.list(replicaTarget, {
        description:
          'Earlier targets: those within the stability window, or those from which the target has only risen.',
      }),
    ),
    applying: s.optional(
      s.object(
        { replicas: count('The replicas that are written.') },
        {
          description: 'Written before the Deployment is scaled, so that enforcement resumes after a crash.',
        },
      ),
    ),
  },
  { description: 'What is enforced, and since when. Absent: replicas are not enforced.' },
);

const size = {
  request: s.optional(count('What each container requests. Absent: it has no request.')),
  limit: s.optional(count('The limit of each container. Absent: it has none.')),
};

/** One resource of a function: bytes of memory, or millicores. */
export const resourceDetail = s.object(
  {
    dimension: s.oneOf(['memory', 'cpu'], { description: 'memory, in bytes, or cpu, in millicores.' }),
    recommended: s.integer({
      minimum: 0,
      description: 'Bytes of memory, or millicores, that each pod has to ask for.',
    }),
    observed_at: s.time({ description: 'When the recommendation got this value.' }),
    ...size,
    out_of_memory_at: s.optional(
      s.time({ description: 'When a container was last killed for want of memory.' }),
    ),
    decision: s.string({
      description: `What enforcement does about it, or why it does nothing. ${DECISION}`,
    }),
    enforcement: s.optional(
      s.object(
        {
          ...aim,
          applying: s.optional(
            s.object(size, {
              description: 'Written before the Deployment, so that enforcement resumes after a crash.',
            }),
          ),
        },
        { description: 'What is enforced, and since when. Absent: the resource is not enforced.' },
      ),
    ),
  },
  { description: 'One resource.' },
);

/** What was recommended, wanted and there from a moment on. */
export const replicaPoint = s.object(
  {
    at: time('From when on.'),
    recommended: count('Replicas that were recommended.'),
    target: s.optional(count('Replicas that were to be enforced. Absent: none were.')),
    current: count('Replicas that there were.'),
  },
  { description: 'What was recommended, wanted and there from a moment on.' },
);

export const nfrDetail = s.object(
  {
    function_key: text('The function.'),
    recommended: s.integer({ minimum: 0, description: 'Replicas that the load needs.' }),
    basis: s.string({
      description: 'The signals behind the recommendation: cpu or throughput, and latency, no traffic.',
    }),
    histograms: s.optional(
      s.oneOf(REQUEST_FORMS, {
        description:
          'The form in which the source has the histogram of requests, for throughput and latency.',
      }),
    ),
    observed_at: s.time({ description: 'When the recommendation got this value.' }),
    current: count('Replicas that the function has.'),
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
    decision: s.string({
      description: `What enforcement does about it, or why it does nothing. ${DECISION}`,
    }),
    enforcement: s.optional(enforcement),
    resources: s.optional(
      s.mapList(resourceDetail, ['dimension'], {
        description: 'Memory and CPU of its containers. Absent: nothing is known of their use.',
      }),
    ),
  },
  { description: 'One function.' },
);

export const applied = s.object(
  {
    component: text('What was changed: function.'),
    function_key: s.optional(s.string({ description: 'Addition: the function that it runs.' })),
    dimension: text('replicas, memory or cpu.'),
    target: s.number({ description: 'Replicas, bytes of memory, or millicores.' }),
    basis: s.optional(text('enforcer: a recommendation was enforced.')),
    confidence: s.optional(s.number({ description: 'How sure that is, up to 1: always 1.' })),
  },
  { description: 'One recommendation that was applied.' },
);

export const nfrOdgm = s.object(
  {
    recommended: s.integer({ minimum: 0, description: 'Nodes that the load of the data grid needs.' }),
    observed_at: s.time({ description: 'When the recommendation got this value.' }),
    current: count('Nodes that the data grid has: always 1.'),
    decision: s.string({
      description:
        'Why the data grid is not scaled: SkipMode, SkipDimension, SkipPhase, NoChange, PartitionsDegraded or NotScalable.',
    }),
  },
  { description: 'Addition: nodes of the data grid.' },
);
