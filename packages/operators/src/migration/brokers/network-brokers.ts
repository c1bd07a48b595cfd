import type { BrokerAddress, Brokers } from './broker.ts';
import { jetstreamBrokers } from './jetstream/jetstream-brokers.ts';
import { rabbitmqBrokers } from './rabbitmq/rabbitmq-brokers.ts';

/** JetStream at `nats://` and `tls://`, RabbitMQ elsewhere. */
export function networkBrokers(): Brokers {
  const [jetstream, rabbitmq] = [jetstreamBrokers(), rabbitmqBrokers()];
  const brokersFor = (address: BrokerAddress): Brokers => (isNats(address) ? jetstream : rabbitmq);
  return {
    at: (address) => brokersFor(address).at(address),
    release: (address) => brokersFor(address).release(address),
    close: async () => {
      await Promise.all([jetstream.close(), rabbitmq.close()]);
    },
  };
}

export const isNats = ({ url }: BrokerAddress): boolean => /^(?:nats|tls):/i.test(url);
