import type { BrokerUnderTest } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import type { MessagesUnderTest } from '../../../packages/migratable/src/migratable.contract.ts';

/** Each primary has an exchange of its own. */
export function messagesUnderTest(
  { broker, messages, declareExchange, publish, disconnect }: BrokerUnderTest,
  declarePrimary: (queue: string) => Promise<void> = (queue) => broker.declareQueue(queue),
): MessagesUnderTest {
  const exchangeOf = async (primary: string): Promise<string> => {
    const exchange = `${primary}.in`;
    await declareExchange(exchange, 'fanout');
    await broker.bind({ queue: primary, exchange, routingKey: '' });
    return exchange;
  };
  return {
    messages,
    declarePrimary,
    disconnect,
    deleteQueue: (queue) => broker.deleteQueue(queue),
    mirror: async (primary, mirror) => {
      await broker.bind({ queue: mirror, exchange: await exchangeOf(primary), routingKey: '' });
    },
    publish: async (primary, published) => publish(await exchangeOf(primary), '', published),
    ready: async (queue) => (await broker.queue(queue))?.ready,
  };
}
