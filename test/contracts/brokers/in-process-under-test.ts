import type { InProcessBroker } from '@kubewright/operators';
import type { BrokerUnderTest } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { rawMessage } from '../../../packages/operators/src/migration/brokers/in-process/raw-message.ts';

/** Without a socket. */
export function inProcessUnderTest(broker: InProcessBroker): BrokerUnderTest {
  return {
    broker: broker.connect(),
    messages: broker.messages(),
    declareExchange: async (name, type) => broker.declareExchange(name, type),
    publish: async (exchange, routingKey, messages) => {
      for (const message of messages) broker.publish(exchange, routingKey, rawMessage(message));
    },
    disconnect: async () => broker.disconnectAll(),
  };
}
