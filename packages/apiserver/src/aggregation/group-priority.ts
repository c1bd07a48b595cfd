import { getOwn, type JsonObject } from '@kubewright/kube';

/** Facts of Kubernetes 1.36. */
const PRIORITIES: JsonObject = {
  'apiregistration.k8s.io': 20_000,
  '': 18_000,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  apps: 17_800,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'coordination.k8s.io': 16_500,
  'discovery.k8s.io': 16_200,
  'events.k8s.io': 17_750,
  'networking.k8s.io': 17_200,
  'node.k8s.io': 16_300,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'scheduling.k8s.io': 16_600,
  'storage.k8s.io': 16_800,
};

/** The `groupPriorityMinimum` of a group that this server serves itself: discovery lists the greatest first. */
export function groupPriority(group: string): number {
  return Number(getOwn(PRIORITIES, group) ?? 1000);
}

/** The `versionPriority` of a version of a built-in group. */
export function versionPriority(group: string, version: string): number {
  if (group === '') return 1;
  return group === 'autoscaling' && version === 'v2' ? 30 : 15;
}
