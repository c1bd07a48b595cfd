import type { Profile } from './profile.ts';

const SOURCE = 'Velero 1.18';
const working = [
  { field: 'phase', values: ['New', 'Accepted', 'Prepared', 'InProgress', 'Canceling'] },
] as const;

/** What moves data has a pod and a volume until it is over. Schedules own their backups if they say so. */
export const velero: readonly Profile[] = [
  ...(['DataUpload', 'DataDownload'] as const).map((kind) => ({
    group: 'velero.io',
    kind,
    source: SOURCE,
    ready: [],
    working,
    transient: ['Pod', 'PersistentVolumeClaim'],
  })),
  { group: 'velero.io', kind: 'Schedule', source: SOURCE, ready: [], transient: ['Backup'] },
];
