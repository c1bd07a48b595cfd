import { WorkerRuntime } from '@kubewright/cluster';
import { type AmqpServer, InProcessBroker, serveAmqp } from '@kubewright/operators';
import { afterAll, beforeAll } from 'vitest';
import { rawMessage } from '../../../packages/operators/src/migration/brokers/in-process/raw-message.ts';
import { statefulSetsContract } from '../../../packages/operators/src/migration/stateful-sets.contract.ts';
import { CONSUMER } from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';

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
    const broker = new InProcessBroker();
    let server: AmqpServer;
    beforeAll(async () => {
      broker.declareExchange('orders', 'direct');
      server = await serveAmqp(broker);
    });
    afterAll(() => server.close());
    statefulSetsContract({
      transport,
      broker: () => ({
        url: server.url,
        async declare(queue) {
          broker.declareQueue(queue);
          broker.bind('orders', { queue, routingKey: queue });
        },
        async publish(queue, message) {
          broker.publish('orders', queue, rawMessage(message));
        },
      }),
    });
  },
);
