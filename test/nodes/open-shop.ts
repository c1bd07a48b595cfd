import { connectAmqp } from '@kubewright/migratable/amqp';
import type { BrokerForLoad } from '../../packages/operators/src/migration/testing/migration-calls.ts';
import { startRabbitMq } from '../servers/rabbitmq.ts';

/** A real RabbitMQ that pods reach, and somebody who publishes. */
export type Shop = BrokerForLoad & {
  exists(queue: string): Promise<boolean>;
  close(): Promise<void>;
};

const EXCHANGE = 'orders';

export async function openShop(address: string): Promise<Shop> {
  const server = await startRabbitMq({ host: '0.0.0.0' });
  const url = `amqp://${address}:${server.port}`;
  const connection = connectAmqp({ url });
  await connection.onChannel((channel) => channel.exchangeDeclare({ exchange: EXCHANGE, type: 'direct' }));
  return {
    url,
    declare: (queue) =>
      connection.onChannel(async (channel) => {
        await channel.queueDelete({ queue });
        await channel.queueDeclare({ queue, durable: true });
        await channel.queueBind({ queue, exchange: EXCHANGE, routingKey: queue });
      }),
    publish: (routingKey, { body }) =>
      connection.onChannel(async (channel) => {
        await channel.confirmSelect();
        await channel.basicPublish({ exchange: EXCHANGE, routingKey, durable: true }, body);
      }),
    // A passive declaration of a queue that is not there closes the channel.
    exists: (queue) =>
      connection.onChannel((channel) =>
        channel.queueDeclare({ queue, passive: true }).then(
          () => true,
          () => false,
        ),
      ),
    async close() {
      await connection.close();
      await server.stop();
    },
  };
}
