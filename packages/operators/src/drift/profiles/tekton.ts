import type { Profile } from './profile.ts';

const SOURCE = 'Tekton Pipelines 1.15';
const working = [{ condition: 'Succeeded', status: 'Unknown' }] as const;

/** A run is at work until it is over; then what it needed goes. */
export const tekton: readonly Profile[] = [
  {
    group: 'tekton.dev',
    kind: 'PipelineRun',
    source: SOURCE,
    ready: ['Succeeded'],
    working,
    transient: ['StatefulSet', 'PersistentVolumeClaim'],
  },
  { group: 'tekton.dev', kind: 'TaskRun', source: SOURCE, ready: ['Succeeded'], working, transient: ['Pod'] },
];
