import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { OperatorError } from '../../../operator-error.ts';
import type { Broker, Brokers } from '../broker.ts';
import { type Ask, sharedConnections } from '../shared-connections.ts';
import { readDeliveryLimit, readArguments } from './read-declaration.ts';

/** Reports of processes are small; the head of a status queue that is larger is none. */
const MOST_BYTES = 4 * 1024 * 1024;

/** RabbitMQ, and whatever else speaks AMQP 0-9-1: classic and quorum queues, exchanges of any type. */
export function rabbitmqBrokers(): Brokers {
  return sharedConnections(
    ({ url, credentials }) =>
      connectAmqp({ url, ...credentials, name: 'kubewright migration', mostBytes: MOST_BYTES }),
    brokerOf,
  );
}

function brokerOf(ask: Ask<AmqpConnection>): Broker {
  return {
    ...topologyOf(ask),
    reach: () => ask((connection) => connection.onChannel(async () => undefined)),
    deliveryLimit: (queue) => readDeliveryLimit(ask, queue),
    declareQueue: (name, options) => ask((connection) => connection.declareQueue(name, options)),
    declarePlainQueue: async (name, like) => {
      const args = like === undefined ? undefined : await readArguments(ask, like);
      const declared = { queue: name, durable: true, arguments: { ...args } };
      await ask((connection) => connection.onChannel((channel) => channel.queueDeclare(declared)));
    },
    send: (queue, message) => ask((connection) => connection.send(queue, message)),
    peek: (queue) => ask((connection) => connection.peek(queue)),
  };
}

function topologyOf(
  ask: Ask<AmqpConnection>,
): Pick<Broker, 'queue' | 'exchangeExists' | 'deleteQueue' | 'bind' | 'unbind'> {
  const onChannel: AmqpConnection['onChannel'] = (use) => ask((connection) => connection.onChannel(use));
  return {
    queue: (name) =>
      onChannel(async (channel) => {
        const facts = await channel.queueDeclare({ queue: name, passive: true });
        return { ready: facts.messageCount, consumers: facts.consumerCount };
      }).catch(undefinedIfMissing),
    exchangeExists: async (name) => {
      const asked = onChannel((channel) => channel.exchangeDeclare({ exchange: name, passive: true }));
      return (await asked.then(() => true).catch(undefinedIfMissing)) ?? false;
    },
    deleteQueue: (queue) => onChannel(async (channel) => void (await channel.queueDelete({ queue }))),
    bind: (binding) => onChannel((channel) => channel.queueBind(binding)),
    unbind: (binding) => onChannel((channel) => channel.queueUnbind(binding)).catch(undefinedIfMissing),
  };
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof OperatorError) || error.code !== 'NotFound') throw error;
}
