import type { BrokerUnderTest } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import type { MessagesUnderTest } from '../../../packages/migratable/src/testing/commanded-process.ts';

/** Each primary has an exchange of its own. */
export function messagesUnderTest(
  { broker, messages, declareExchange, publish, disconnect }: BrokerUnderTest,
  declare: (queue: string) => Promise<void> = (queue) => broker.declareQueue(queue),
): MessagesUnderTest {
  const exchangeOf = (primary: string): string => `${primary}-in`;
  const bind = (queue: string, exchange: string): Promise<void> =>
    broker.bind({ queue, exchange, routingKey: '' });
  return {
    messages,
    async declarePrimary(queue) {
      await declare(queue);
      await declareExchange(exchangeOf(queue), 'fanout');
      await bind(queue, exchangeOf(queue));
    },
    disconnect,
    deleteQueue: (queue) => broker.deleteQueue(queue),
    mirror: (primary, mirror) => bind(mirror, exchangeOf(primary)),
    publish: (primary, published) => publish(exchangeOf(primary), '', published),
    ready: async (queue) => (await broker.queue(queue))?.ready,
  };
}
