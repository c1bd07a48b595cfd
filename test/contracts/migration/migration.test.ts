import { WorkerRuntime } from '@kubewright/cluster';
import { type AmqpServer, InProcessBroker, serveAmqp } from '@kubewright/operators';
import { afterAll, beforeAll } from 'vitest';
import { rawMessage } from '../../../packages/operators/src/migration/brokers/in-process/raw-message.ts';
import { brokerSecretsContract } from '../../../packages/operators/src/migration/broker-secrets.contract.ts';
import { migrationContract } from '../../../packages/operators/src/migration/migration.contract.ts';
import { stayingShadowContract } from '../../../packages/operators/src/migration/staying-shadow.contract.ts';
import {
  type BrokerForLoad,
  CONSUMER,
} from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';

const workers = new WorkerRuntime({ images: { [CONSUMER]: new URL('./consumer.mjs', import.meta.url) } });
const controllers = [
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
] as const;

afterAll(() => workers.close());

describeClusters(
  'operator migration',
  { controllers, nodes: { nodes: 2, runtimes: [workers] } },
  (transport) => {
    // Each cluster has its own broker: consumers of another one would take what is meant for this one's.
    const broker = new InProcessBroker();
    let server: AmqpServer;
    beforeAll(async () => {
      broker.declareExchange('orders', 'direct');
      server = await serveAmqp(broker);
    });
    afterAll(() => server.close());
    const forLoad = (): BrokerForLoad => ({
      url: server.url,
      async declare(queue) {
        broker.deleteQueue(queue);
        broker.declareQueue(queue);
        broker.bind('orders', { queue, routingKey: queue });
      },
      async publish(queue, message) {
        broker.publish('orders', queue, rawMessage(message));
      },
    });
    migrationContract(transport, forLoad);
    stayingShadowContract(transport, forLoad);
    brokerSecretsContract(transport, forLoad);
  },
);
