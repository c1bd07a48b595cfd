import { s } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { lifecycle } from './lifecycle.ts';
import { applied, nfrDetail, nfrOdgm } from './nfr-detail.ts';

const { count, flag, int64, port, text, time } = described;

export const PHASES = ['pending', 'applying', 'progressing', 'available', 'degraded', 'deleting'] as const;

export const functionStatus = s.object(
  {
    function_key: text('The function.'),
    service: text('The Service that has its address; for a WASM function that of the data grid.'),
    port: port('The port of that Service.'),
    predicted_url: text('The address in the cluster by which it is known before it is ready.'),
    observed_url: s.optional(text('The address that Knative reports. Absent with any other template.')),
    template: text('The template that its objects were made by.'),
    ready: s.optional(flag('Whether it is ready; of a WASM function, whether the data grid is.')),
    reason: s.optional(text('Why it is not ready, in one word, or Scaling while enforcement changes it.')),
    message: s.optional(text('Why, in words.')),
    lastTransitionTime: s.optional(time('When ready or reason last changed.')),
  },
  { description: 'One function.' },
);

export const templateStatus = s.object(
  {
    selected: text('The template that is used.'),
    reason: s.oneOf(['Named', 'Score', 'Fallback'], {
      description:
        'Named: spec.selected_template names it. Score: it has the highest score. Fallback: the named one cannot be used.',
    }),
    message: s.optional(s.string({ description: 'Why the named template is not used.' })),
    scores: s.record(s.number({ description: 'The score.' }), {
      description: 'The score of each template, by its name. The highest wins.',
    }),
  },
  { description: 'Addition: the selected template, and why.' },
);

const odgm = s.object(
  {
    ready: flag('Whether it is healthy.'),
    reason: s.optional(text('Why not: OdgmStarting or ShardsMissing.')),
    message: s.optional(text('Why not, in words.')),
    partitions: s.optional(count('How many partitions there are to be. Absent: shards are not looked at.')),
    healthy: s.optional(count('How many of them have all replicas.')),
    degraded: s.optional(count('How many have a quorum, and not all replicas.')),
    lost: s.optional(count('How many have no quorum.')),
    unhealthy_since: s.optional(
      time('Since when its pod is ready, and it is not. Its grace runs from here. Absent: it is healthy.'),
    ),
  },
  { description: 'Addition: what the data grid says of itself, where it is asked.' },
);

const rollout = s.object(
  {
    updated: count('How many functions are updated.'),
    total: count('How many functions there are.'),
    waiting_for: s.string({ description: 'What has to be ready before the next one is updated.' }),
  },
  { description: 'Addition: a rollout that updates one function after the other, while it waits.' },
);

const resourceRef = s.object(
  { kind: text('The kind of the object.'), name: text('Its name.') },
  { description: 'One object, in the namespace of the class.' },
);

const router = s.object(
  { service: text('The Service of the router.'), port: port('Its port.') },
  { description: 'One router. Workloads connect to the first.' },
);

export const statusSchema = s.object(
  {
    phase: s.optional(
      s.oneOf(PHASES, {
        description:
          'Where the class is: pending, applying its objects, progressing until they are ready, available, degraded when something is wrong, deleting. lifecycle.reason says why.',
      }),
    ),
    message: s.optional(text('What the phase is due to, for people.')),
    observed_generation: s.optional(int64('The metadata.generation that the status is about.')),
    observedGeneration: s.optional(
      int64('Addition: the same, under the name by which tools such as kubectl wait find it.'),
    ),
    last_updated: s.optional(time('When the status was last written.')),
    conditions: s.optional(
      s.conditions({
        description:
          'Available, Progressing and Degraded say what the phase says; Serving whether every function has a pod that serves. Ready, Reconciling and Stalled are for tools. NfrObserved, NfrEnforced, AutoscalingHealthy, OdgmReady, TelemetryConfigured and Paused concern a part.',
      }),
    ),
    resource_refs: s.optional(
      s.list(resourceRef, { description: 'The objects of the class that there are.' }),
    ),
    nfr_recommendations: s.optional(
      s.record(s.number({ description: 'The highest recommendation of a function.' }), {
        description:
          'The highest recommendation of all functions, by dimension: replicas, memory (bytes), cpu (millicores); odgm_replicas is of the data grid.',
      }),
    ),
    last_applied_recommendations: s.optional(
      s.list(applied, { description: 'The last 20 recommendations that were applied, the newest last.' }),
    ),
    last_applied_at: s.optional(time('When a recommendation was last applied.')),
    routers: s.optional(
      s.list(router, {
        description: 'The Zenoh routers of the namespace: Services with the labels app=router,platform=oaas.',
      }),
    ),
    functions: s.optional(
      s.mapList(functionStatus, ['function_key'], {
        description: 'The functions, in the order of the spec.',
      }),
    ),
    nfr_details: s.optional(
      s.mapList(nfrDetail, ['function_key'], { description: 'Addition: replicas, per function.' }),
    ),
    nfr_odgm: s.optional(nfrOdgm),
    template: s.optional(templateStatus),
    rollout: s.optional(rollout),
    odgm: s.optional(odgm),
    lifecycle: s.optional(lifecycle),
  },
  { description: 'What was observed of the class. The operator is its only writer.' },
);
