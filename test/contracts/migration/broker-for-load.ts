import { InProcessBroker, serveAmqp } from '@kubewright/operators';
import { rawMessage } from '../../../packages/operators/src/migration/brokers/in-process/raw-message.ts';
import type { BrokerForLoad } from '../../../packages/operators/src/migration/testing/migration-calls.ts';

export type LoadedBroker = BrokerForLoad & { close(): Promise<void> };

/** A broker of one cluster: consumers of another one would take what is meant for this one's. */
export async function brokerForLoad(): Promise<LoadedBroker> {
  const broker = new InProcessBroker();
  broker.declareExchange('orders', 'direct');
  const server = await serveAmqp(broker);
  return {
    url: server.url,
    close: () => server.close(),
    async declare(queue) {
      broker.declareQueue(queue);
      broker.bind('orders', { queue, routingKey: queue });
    },
    async publish(queue, message) {
      broker.publish('orders', queue, rawMessage(message));
    },
  };
}
