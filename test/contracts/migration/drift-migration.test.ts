import { WorkerRuntime } from '@kubewright/cluster';
import { type AmqpServer, InProcessBroker, serveAmqp } from '@kubewright/operators';
import { afterAll, beforeAll } from 'vitest';
import { rawMessage } from '../../../packages/operators/src/migration/brokers/in-process/raw-message.ts';
import { CONSUMER } from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { driftMigrationContract } from '../drift-migration.contract.ts';

const workers = new WorkerRuntime({ images: { [CONSUMER]: new URL('./consumer.mjs', import.meta.url) } });
const controllers = [
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
] as const;

afterAll(() => workers.close());

describeClusters(
  'operators migration and drift',
  { controllers, nodes: { nodes: 2, runtimes: [workers] }, credentials: true, longer: true },
  (transport) => {
    const broker = new InProcessBroker();
    let server: AmqpServer;
    beforeAll(async () => {
      broker.declareExchange('orders', 'direct');
      server = await serveAmqp(broker);
    });
    afterAll(() => server.close());
    driftMigrationContract(transport, () => ({
      url: server.url,
      async declare(queue) {
        broker.deleteQueue(queue);
        broker.declareQueue(queue);
        broker.bind('orders', { queue, routingKey: queue });
      },
      async publish(queue, message) {
        broker.publish('orders', queue, rawMessage(message));
      },
    }));
  },
);
