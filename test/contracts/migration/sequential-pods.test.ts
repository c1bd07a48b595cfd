import { WorkerRuntime } from '@kubewright/cluster';
import { afterAll, beforeAll } from 'vitest';
import { sequentialPodsContract } from '../../../packages/operators/src/migration/sequential-pods.contract.ts';
import { CONSUMER } from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { brokerForLoad, type LoadedBroker } from './broker-for-load.ts';

const workers = new WorkerRuntime({ images: { [CONSUMER]: new URL('./consumer.mjs', import.meta.url) } });
const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
  'persistentvolume-binder-controller',
] as const;

afterAll(() => workers.close());

describeClusters(
  'migrations in which the source ends first',
  { controllers, nodes: { nodes: 2, runtimes: [workers] } },
  (transport) => {
    let broker: LoadedBroker;
    beforeAll(async () => {
      broker = await brokerForLoad();
    });
    afterAll(() => broker.close());
    sequentialPodsContract({ transport, broker: () => broker });
  },
);
