import type { Profile } from './profile.ts';

const SOURCE = 'Knative Serving 0.51';

/** The autoscaler scales as the same user; traffic follows the newest revision; old revisions go. */
export const knative: readonly Profile[] = [
  {
    group: 'serving.knative.dev',
    kind: 'Revision',
    source: SOURCE,
    ready: ['Ready'],
    changing: [{ kind: 'Deployment', fields: ['spec.replicas'] }],
  },
  {
    group: 'serving.knative.dev',
    kind: 'Configuration',
    source: SOURCE,
    ready: ['Ready'],
    transient: ['Revision'],
  },
  {
    group: 'serving.knative.dev',
    kind: 'Route',
    source: SOURCE,
    ready: ['Ready'],
    changing: [{ kind: 'Ingress', fields: ['spec'] }],
    transient: ['Certificate'],
  },
  {
    group: 'autoscaling.internal.knative.dev',
    kind: 'PodAutoscaler',
    source: SOURCE,
    ready: ['Ready'],
    changing: [{ kind: 'ServerlessService', fields: ['spec.mode', 'spec.numActivators'] }],
  },
  {
    group: 'networking.internal.knative.dev',
    kind: 'ServerlessService',
    source: SOURCE,
    ready: ['Ready'],
    changing: [{ kind: 'Endpoints', fields: ['subsets'] }],
  },
];
