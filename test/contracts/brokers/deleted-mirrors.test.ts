import { systemClock } from '@kubewright/client';
import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { expect, onTestFinished, test } from 'vitest';
import { actOnBroker } from '../../../packages/operators/src/migration/act-on-broker.ts';
import { rabbitmqBrokers } from '../../../packages/operators/src/migration/brokers/rabbitmq/rabbitmq-brokers.ts';
import { readSettings } from '../../../packages/operators/src/migration/settings.ts';
import { migrationOf } from '../../../packages/operators/src/migration/testing/migration-bench.ts';
import { startRabbitMq, whyNoRabbitMq } from '../../servers/rabbitmq.ts';

const why = whyNoRabbitMq();
const PRODUCERS = 8;
const MIRRORS = 20;

/** Publishes until `signal` is aborted, each message on a channel of its own; returns how many were confirmed. */
async function produce(
  shop: AmqpConnection,
  { exchange, routingKey, signal }: { exchange: string; routingKey: string; signal: AbortSignal },
): Promise<number> {
  let confirmed = 0;
  while (!signal.aborted) {
    await shop.onChannel(async (channel) => {
      await channel.confirmSelect();
      await channel.basicPublish({ exchange, routingKey, durable: true }, 'a message');
    });
    confirmed++;
  }
  return confirmed;
}

test.skipIf(why !== undefined)(
  `MIG-20 no message of a producer is rejected as a mirror of its quorum queue is deleted${why === undefined ? '' : ` [${why}]`}`,
  async () => {
    const server = await startRabbitMq();
    const url = `amqp://127.0.0.1:${server.port}`;
    const shop = connectAmqp({ url });
    const brokers = rabbitmqBrokers();
    const stop = new AbortController();
    onTestFinished(async () => {
      stop.abort();
      await shop.close();
      await brokers.close();
      await server.stop();
    });
    const migration = migrationOf();
    const { exchangeName: exchange, queueName: queue, routingKey } = migration.spec.messageQueueConfig;
    await shop.onChannel(async (channel) => {
      await channel.exchangeDeclare({ exchange, type: 'direct' });
      await channel.queueDeclare({ queue, durable: true, arguments: { 'x-queue-type': 'quorum' } });
      await channel.queueBind({ queue, exchange, routingKey });
    });
    const producers = Array.from({ length: PRODUCERS }, () =>
      produce(shop, { exchange, routingKey, signal: stop.signal }),
    );
    const tools = { settings: readSettings({}), clock: systemClock };
    for (let index = 0; index < MIRRORS; index++) {
      const mirror = `${queue}.mig.${index}`;
      await actOnBroker({ type: 'createMirror', migration, mirror }, brokers.at({ url }), tools);
      await expect.poll(async () => (await brokers.at({ url }).queue(mirror))?.ready).toBeGreaterThan(0);
      await actOnBroker({ type: 'deleteQueues', migration, mirror, queues: [] }, brokers.at({ url }), tools);
    }
    stop.abort();
    const confirmed = (await Promise.all(producers)).reduce((sum, one) => sum + one, 0);
    expect(await brokers.at({ url }).queue(queue)).toMatchObject({ ready: confirmed });
  },
);
