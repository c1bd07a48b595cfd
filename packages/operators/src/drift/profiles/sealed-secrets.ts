import type { Profile } from './profile.ts';

export const sealedSecrets: readonly Profile[] = [
  { group: 'bitnami.com', kind: 'SealedSecret', source: 'Sealed Secrets 0.40', ready: ['Synced'] },
];
