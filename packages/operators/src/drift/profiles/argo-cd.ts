import type { Profile } from './profile.ts';

export const argoCd: readonly Profile[] = [
  {
    group: 'argoproj.io',
    kind: 'ApplicationSet',
    source: 'Argo CD 3.6',
    uncovered: 'its Applications follow Git, clusters and pull requests, whatever its generators read',
  },
];
