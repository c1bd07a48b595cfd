import type { Profile } from './profile.ts';

/** Jobs are deleted and made again when the set restarts, and those of a later group when an earlier one is ready. */
export const jobset: readonly Profile[] = [
  {
    group: 'jobset.x-k8s.io',
    kind: 'JobSet',
    source: 'JobSet 0.12',
    ready: [],
    working: [{ condition: 'StartupPolicyInProgress', status: 'True' }],
    transient: ['Job'],
    varying: [{ kind: 'Job', fields: ['spec.template.metadata', 'spec.template.spec.nodeSelector'] }],
    changing: [{ kind: 'Job', fields: ['spec.suspend'] }],
  },
];
