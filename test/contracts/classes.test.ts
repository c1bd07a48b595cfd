import { classesContract, CRASHING } from '../../packages/operators/src/classes/classes.contract.ts';
import { describeClusters } from '../servers/describe-clusters.ts';

const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
] as const;

describeClusters(
  'operator classes',
  { controllers, nodes: { nodes: 1, behaviours: CRASHING } },
  classesContract,
);
