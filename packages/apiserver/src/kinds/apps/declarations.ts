import type { Declaration } from '../define.ts';
import { deployment, deploymentStatus } from './deployment.ts';
import { scale } from './workload.ts';

/** `apps/v1`. */
export const APPS: readonly Declaration[] = [
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
];
