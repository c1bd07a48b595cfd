import { describeClusters } from '../servers/describe-clusters.ts';
import { rolloutWritesContract } from './drift-rollout-writes.contract.ts';

describeClusters(
  'operator drift',
  { controllers: ['deployment-controller', 'replicaset-controller'], nodes: 2, credentials: true },
  rolloutWritesContract,
);
