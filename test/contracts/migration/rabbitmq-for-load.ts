import { type RabbitMqBroker, type ShopRabbitMq, startRabbitMqBroker } from '../../shop/rabbitmq-broker.ts';
import type { Publisher } from '../../shop/shop-broker.ts';
import type { LoadedBroker } from './broker-for-load.ts';

/** A RabbitMQ of one cluster. */
export async function rabbitMqForLoad(
  options: ShopRabbitMq = {},
): Promise<LoadedBroker & Pick<RabbitMqBroker, 'queues' | 'exists'>> {
  const broker = await startRabbitMqBroker(options);
  const publishers = new Map<string, Publisher>();
  return {
    ...broker,
    async publish(queue, { body }) {
      const publisher = publishers.get(queue) ?? broker.publisher(queue);
      publishers.set(queue, publisher);
      await publisher.publish(body);
    },
    async close() {
      for (const publisher of publishers.values()) await publisher.close();
      await broker.close();
    },
  };
}
