import type { Profile } from './profile.ts';

const SOURCE = 'Cluster API 1.14';
const AT_WORK = ['RollingOut', 'ScalingUp', 'ScalingDown', 'Remediating'] as const;
const working = AT_WORK.map((condition) => ({ condition, status: 'True' }) as const);
/** Each machine has its own, and gets some of it only later. */
const varying = [
  {
    kind: 'Machine',
    fields: ['spec.bootstrap', 'spec.infrastructureRef', 'spec.providerID', 'spec.failureDomain'],
  },
] as const;

/** Machines are replaced when they fail a health check. */
export const clusterApi: readonly Profile[] = [
  {
    group: 'cluster.x-k8s.io',
    kind: 'MachineDeployment',
    source: SOURCE,
    ready: ['Available'],
    working,
    transient: ['MachineSet'],
  },
  {
    group: 'cluster.x-k8s.io',
    kind: 'MachineSet',
    source: SOURCE,
    ready: [],
    working,
    varying,
    transient: ['Machine'],
  },
  {
    group: 'controlplane.cluster.x-k8s.io',
    kind: 'KubeadmControlPlane',
    source: SOURCE,
    ready: ['Available'],
    working,
    varying,
    transient: ['Machine', 'KubeadmConfig'],
  },
];
