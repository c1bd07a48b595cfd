import { WorkerRuntime } from '@kubewright/cluster';
import { type AmqpServer, InProcessBroker, serveAmqp } from '@kubewright/operators';
import { afterAll, beforeAll } from 'vitest';
import { rawMessage } from '../../../packages/operators/src/migration/brokers/in-process/raw-message.ts';
import { brokerSecretsContract } from '../../../packages/operators/src/migration/broker-secrets.contract.ts';
import {
  ORIGINAL_CONSUMER,
  ORIGINAL_SUITES,
  originalApplicationContract,
  type OriginalSetting,
} from '../../../packages/operators/src/migration/original-application.contract.ts';
import { migrationContract } from '../../../packages/operators/src/migration/migration.contract.ts';
import { stayingShadowContract } from '../../../packages/operators/src/migration/staying-shadow.contract.ts';
import {
  type BrokerForLoad,
  CONSUMER,
} from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { fewUnlessReal } from '../../servers/real-side.ts';
import { type AgentsUnderTest, agentsUnderTest } from './agents-under-test.ts';

const workers = new WorkerRuntime({
  images: {
    [CONSUMER]: new URL('./consumer.mjs', import.meta.url),
    [ORIGINAL_CONSUMER]: new URL('./original-consumer.mjs', import.meta.url),
  },
});
const controllers = [
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
] as const;

afterAll(() => workers.close());

describeClusters(
  'operator migration',
  { controllers, nodes: { nodes: 2, runtimes: [workers] }, longer: true },
  (transport, nodes) => {
    // Each cluster has its own broker: consumers of another one would take what is meant for this one's.
    const broker = new InProcessBroker();
    let server: AmqpServer;
    let agents: AgentsUnderTest;
    beforeAll(async () => {
      broker.declareExchange('orders', 'direct');
      server = await serveAmqp(broker);
      agents = await agentsUnderTest({ transport: transport(), nodes: nodes(), workers });
    });
    afterAll(() => Promise.all([server.close(), agents.close()]));
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
    const originals: OriginalSetting = {
      transport,
      broker: () => ({ ...forLoad(), exists: async (queue) => broker.queues.has(queue) }),
      agents: () => agents,
      archives: () => agents.archives(),
    };
    originalApplicationContract(originals, fewUnlessReal(1, ORIGINAL_SUITES));
  },
);
