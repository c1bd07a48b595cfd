import { WorkerRuntime } from '@kubewright/cluster';
import { afterAll, beforeAll } from 'vitest';
import { statefulSetsContract } from '../../../packages/operators/src/migration/stateful-sets.contract.ts';
import { CONSUMER } from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { brokerForLoad, type LoadedBroker } from './broker-for-load.ts';

const workers = new WorkerRuntime({ images: { [CONSUMER]: new URL('./consumer.mjs', import.meta.url) } });
const controllers = [
  'statefulset-controller',
  'garbage-collector-controller',
  'persistentvolume-binder-controller',
] as const;

afterAll(() => workers.close());

describeClusters(
  'migrations of pods of StatefulSets',
  { controllers, nodes: { nodes: 2, runtimes: [workers] } },
  (transport) => {
    let broker: LoadedBroker;
    beforeAll(async () => {
      broker = await brokerForLoad();
    });
    afterAll(() => broker.close());
    statefulSetsContract({ transport, broker: () => broker });
  },
);
