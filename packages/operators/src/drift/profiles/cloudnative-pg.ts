import type { Profile } from './profile.ts';

const SOURCE = 'CloudNativePG 1.30';

/** Instances are replaced after failures, each with its name in its pod; certificates are renewed. */
export const cloudNativePg: readonly Profile[] = [
  {
    group: 'postgresql.cnpg.io',
    kind: 'Cluster',
    source: SOURCE,
    ready: ['Ready'],
    varying: [
      { kind: 'Pod', fields: ['spec'] },
      { kind: 'Job', fields: ['spec'] },
    ],
    changing: [
      { kind: 'Secret', fields: ['data'] },
      { kind: 'Lease', fields: ['spec'] },
    ],
    transient: ['Pod', 'PersistentVolumeClaim', 'Job', 'Backup'],
  },
  {
    group: 'postgresql.cnpg.io',
    kind: 'ScheduledBackup',
    source: SOURCE,
    ready: [],
    due: ['nextScheduleTime'],
    transient: ['Backup'],
  },
  {
    group: 'postgresql.cnpg.io',
    kind: 'Backup',
    source: SOURCE,
    ready: [],
    working: [{ field: 'phase', values: ['pending', 'started', 'running', 'finalizing'] }],
  },
];
