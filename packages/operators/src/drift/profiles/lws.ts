import type { Profile } from './profile.ts';

/** It says nothing of generations. Revisions of a template that no group has any more go once all groups are ready. */
export const lws: readonly Profile[] = [
  {
    group: 'leaderworkerset.x-k8s.io',
    kind: 'LeaderWorkerSet',
    source: 'LeaderWorkerSet 0.8',
    ready: ['Available'],
    transient: ['ControllerRevision'],
  },
];
