import type { Profile } from './profile.ts';

/** All else that it makes has owners that are no controllers. */
export const strimzi: readonly Profile[] = [
  {
    group: 'core.strimzi.io',
    kind: 'StrimziPodSet',
    source: 'Strimzi 1.3, before its release',
    uncovered: 'its pods follow its spec, and are restarted for what other objects have',
  },
];
