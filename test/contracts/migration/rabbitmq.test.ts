import { WorkerRuntime } from '@kubewright/cluster';
import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { afterAll, beforeAll, describe } from 'vitest';
import { brokerSecretsContract } from '../../../packages/operators/src/migration/broker-secrets.contract.ts';
import {
  ORIGINAL_CONSUMER,
  originalApplicationContract,
} from '../../../packages/operators/src/migration/original-application.contract.ts';
import { migrationContract } from '../../../packages/operators/src/migration/migration.contract.ts';
import { stayingShadowContract } from '../../../packages/operators/src/migration/staying-shadow.contract.ts';
import {
  type BrokerForLoad,
  CONSUMER,
} from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { type AgentsUnderTest, agentsUnderTest } from './agents-under-test.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { type RabbitMq, startRabbitMq, whyNoRabbitMq } from '../../servers/rabbitmq.ts';

const why = whyNoRabbitMq();
const EXCHANGE = 'orders';
const QUORUM = { 'x-queue-type': 'quorum' };
/** At 40 a second, a minute. */
const MESSAGES = 2400;

describe.skipIf(why !== undefined)(why === undefined ? 'with RabbitMQ' : `with RabbitMQ [${why}]`, () => {
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
  let server: RabbitMq;
  let url: string;
  let shop: AmqpConnection;

  beforeAll(async () => {
    server = await startRabbitMq();
    url = `amqp://127.0.0.1:${server.port}`;
    shop = connectAmqp({ url });
    await shop.onChannel((channel) => channel.exchangeDeclare({ exchange: EXCHANGE, type: 'direct' }));
  });
  afterAll(async () => {
    await shop.close();
    await workers.close();
    await server.stop();
  });

  const declareWith =
    (args: Readonly<Record<string, string>>) =>
    (queue: string): Promise<void> =>
      shop.onChannel(async (channel) => {
        await channel.queueDelete({ queue });
        await channel.queueDeclare({ queue, durable: true, arguments: args });
        await channel.queueBind({ queue, exchange: EXCHANGE, routingKey: queue });
      });

  /** A passive declaration of a queue that is not there closes the channel. */
  const exists = (queue: string): Promise<boolean> =>
    shop.onChannel((channel) =>
      channel.queueDeclare({ queue, passive: true }).then(
        () => true,
        () => false,
      ),
    );

  describeClusters(
    'operator migration',
    { controllers, nodes: { nodes: 2, runtimes: [workers] } },
    (transport, nodes) => {
      let agents: AgentsUnderTest;
      beforeAll(async () => {
        agents = await agentsUnderTest({ transport: transport(), nodes: nodes(), workers });
      });
      afterAll(() => agents.close());
      const forLoad = (): BrokerForLoad => ({
        url,
        declare: declareWith({}),
        publish: (routingKey, { body }) =>
          shop.onChannel(async (channel) => {
            await channel.confirmSelect();
            await channel.basicPublish({ exchange: EXCHANGE, routingKey, durable: true }, body);
          }),
      });
      migrationContract(transport, () => ({ ...forLoad(), messages: MESSAGES }));
      describe('MIG-20 on quorum queues', () =>
        stayingShadowContract(transport, () => ({ ...forLoad(), declare: declareWith(QUORUM) })));
      brokerSecretsContract(transport, forLoad);
      originalApplicationContract({
        transport,
        broker: () => ({ ...forLoad(), exists }),
        agents: () => agents,
        archives: () => agents.archives(),
      });
    },
  );
});
