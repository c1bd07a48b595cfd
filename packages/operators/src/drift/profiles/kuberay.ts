import type { Profile } from './profile.ts';

/** Pods that fail are deleted, and others made. */
export const kubeRay: readonly Profile[] = [
  { group: 'ray.io', kind: 'RayCluster', source: 'KubeRay 1.5', ready: [], transient: ['Pod'] },
];
