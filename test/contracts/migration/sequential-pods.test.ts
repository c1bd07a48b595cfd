import { sequentialPodsContract } from '../../../packages/operators/src/migration/sequential-pods.contract.ts';
import { describeWithLoad } from './describe-with-load.ts';

describeWithLoad(
  'migrations in which the source ends first',
  [
    'deployment-controller',
    'replicaset-controller',
    'garbage-collector-controller',
    'persistentvolume-binder-controller',
  ],
  sequentialPodsContract,
);
