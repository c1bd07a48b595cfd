import type { Profile } from './profile.ts';

/** A Workflow is at work until it is over; then its pods and volumes go. */
export const argoWorkflows: readonly Profile[] = [
  {
    group: 'argoproj.io',
    kind: 'Workflow',
    source: 'Argo Workflows 4.1',
    ready: [],
    working: [{ field: 'phase', values: ['Pending', 'Running'] }],
    transient: ['Pod', 'PersistentVolumeClaim', 'WorkflowTaskSet', 'WorkflowArtifactGCTask'],
  },
  {
    group: 'argoproj.io',
    kind: 'CronWorkflow',
    source: 'Argo Workflows 4.1',
    ready: [],
    transient: ['Workflow'],
  },
];
