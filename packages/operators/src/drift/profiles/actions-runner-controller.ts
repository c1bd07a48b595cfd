import type { Profile } from './profile.ts';

const SOURCE = 'Actions Runner Controller 0.14';

/** Runners come with jobs and go after each; the listener is another user, who asks for them in the spec. */
export const actionsRunnerController: readonly Profile[] = [
  { group: 'actions.github.com', kind: 'AutoscalingRunnerSet', source: SOURCE, ready: [] },
  {
    group: 'actions.github.com',
    kind: 'AutoscalingListener',
    source: SOURCE,
    ready: [],
    changing: [{ kind: 'Secret', fields: ['data'] }],
    transient: ['Pod'],
  },
  {
    group: 'actions.github.com',
    kind: 'EphemeralRunnerSet',
    source: SOURCE,
    ready: [],
    transient: ['EphemeralRunner'],
  },
  {
    group: 'actions.github.com',
    kind: 'EphemeralRunner',
    source: SOURCE,
    ready: [],
    transient: ['Pod', 'Secret'],
  },
];
