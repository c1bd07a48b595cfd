import type { Profile } from './profile.ts';

/** Steps of a canary come after timed pauses, for which nobody changes the Rollout; analyses come and go beside them. */
export const argoRollouts: readonly Profile[] = [
  {
    group: 'argoproj.io',
    kind: 'Rollout',
    source: 'Argo Rollouts 1.9',
    ready: ['Available'],
    working: [
      { field: 'phase', values: ['Progressing', 'Paused'] },
      { field: 'stableRS', differsFrom: 'currentPodHash' },
    ],
    dueOnChild: ['argo-rollouts.argoproj.io/scale-down-deadline'],
    varying: [{ kind: 'AnalysisRun', fields: ['spec.args'] }],
    transient: ['AnalysisRun', 'Experiment'],
  },
  {
    group: 'argoproj.io',
    kind: 'AnalysisRun',
    source: 'Argo Rollouts 1.9',
    ready: [],
    working: [{ field: 'phase', values: ['Pending', 'Running'] }],
    transient: ['Job'],
  },
];
