import type { Declaration } from '../../model/declaration.ts';
import { controllerRevision } from './controller-revision.ts';
import { daemonSet, daemonSetStatus } from './daemon-set.ts';
import { deployment, deploymentStatus } from './deployment.ts';
import { replicaSet, replicaSetStatus } from './replica-set.ts';
import { statefulSet, statefulSetStatus } from './stateful-set.ts';
import { scale } from './workload.ts';

/** `apps/v1`. */
export const APPS_RESOURCES: readonly Declaration[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    resource: 'controllerrevisions',
    strategy: controllerRevision,
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    resource: 'daemonsets',
    short: ['ds'],
    categories: ['all'],
    strategy: daemonSet,
    status: daemonSetStatus,
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    resource: 'deployments',
    short: ['deploy'],
    categories: ['all'],
    strategy: deployment,
    status: deploymentStatus,
    rest: { scale },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    resource: 'replicasets',
    short: ['rs'],
    categories: ['all'],
    strategy: replicaSet,
    status: replicaSetStatus,
    rest: { scale },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    resource: 'statefulsets',
    short: ['sts'],
    categories: ['all'],
    strategy: statefulSet,
    status: statefulSetStatus,
    rest: { scale },
  },
];
