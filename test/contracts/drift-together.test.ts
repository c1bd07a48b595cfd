import { describeClusters } from '../servers/describe-clusters.ts';
import { driftClassesContract } from './drift-classes.contract.ts';

const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'garbage-collector-controller',
] as const;

describeClusters('operators together', { controllers, nodes: 1, credentials: true }, driftClassesContract);
