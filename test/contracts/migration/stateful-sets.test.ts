import { statefulSetsContract } from '../../../packages/operators/src/migration/stateful-sets.contract.ts';
import { describeWithLoad } from './describe-with-load.ts';

describeWithLoad(
  'migrations of pods of StatefulSets',
  ['statefulset-controller', 'garbage-collector-controller', 'persistentvolume-binder-controller'],
  statefulSetsContract,
);
