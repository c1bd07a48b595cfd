import type { Profile } from './profile.ts';

const SOURCE = 'External Secrets 1.3';

/** What a Secret has comes from elsewhere, at each refresh. */
export const externalSecrets: readonly Profile[] = [
  {
    group: 'external-secrets.io',
    kind: 'ExternalSecret',
    source: SOURCE,
    ready: ['Ready'],
    changing: [{ kind: 'Secret', fields: ['data'] }],
    transient: ['Secret'],
  },
  {
    group: 'external-secrets.io',
    kind: 'ClusterExternalSecret',
    source: SOURCE,
    ready: ['Ready'],
    transient: ['ExternalSecret'],
  },
];
