import type { Profile } from './profile.ts';

const PODS = 'its pods follow its template, which a change of its parent changes';

function workload(group: string, kind: string): Profile {
  return { group, kind, source: 'Kubernetes 1.36', uncovered: PODS };
}

/** Pods come and go, and admission adds to each what is its own: volumes, tokens, nodes. */
export const kubernetes: readonly Profile[] = [
  workload('apps', 'ReplicaSet'),
  workload('apps', 'StatefulSet'),
  workload('apps', 'DaemonSet'),
  workload('batch', 'Job'),
  workload('batch', 'CronJob'),
];
