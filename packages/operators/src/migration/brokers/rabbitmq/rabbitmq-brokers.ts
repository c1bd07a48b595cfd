import { MigratableError, type MigratableErrorCode } from '@kubewright/migratable';
import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { OperatorError, type OperatorErrorCode } from '../../../operator-error.ts';
import type { Broker, BrokerAddress, Brokers } from '../broker.ts';

const CODES: Readonly<Record<MigratableErrorCode, OperatorErrorCode>> = {
  Unavailable: 'Unavailable',
  NotFound: 'NotFound',
  Rejected: 'Failed',
  Malformed: 'Usage',
  InvalidState: 'Failed',
};

/** RabbitMQ, and whatever else speaks AMQP 0-9-1: classic and quorum queues, exchanges of any type. */
export function rabbitmqBrokers(): Brokers {
  const connections = new Map<string, AmqpConnection>();
  const connect = ({ url, credentials }: BrokerAddress): AmqpConnection => {
    const key = JSON.stringify([url, credentials?.username, credentials?.password]);
    const connection =
      connections.get(key) ?? connectAmqp({ url, ...credentials, name: 'kubewright migration' });
    connections.set(key, connection);
    return connection;
  };
  return {
    at: (address) => brokerOf(() => connect(address)),
    close: async () => {
      const open = [...connections.values()];
      connections.clear();
      await Promise.all(open.map((connection) => connection.close()));
    },
  };
}

function brokerOf(connect: () => AmqpConnection): Broker {
  const ask = async <T>(use: (connection: AmqpConnection) => Promise<T>): Promise<T> => {
    try {
      return await use(connect());
    } catch (error) {
      throw operatorError(error);
    }
  };
  return {
    ...topologyOf(ask),
    declareQueue: (name, options) => ask((connection) => connection.declareQueue(name, options)),
    send: (queue, message) => ask((connection) => connection.send(queue, message)),
    peek: (queue) => ask((connection) => connection.peek(queue)),
  };
}

type Ask = <T>(use: (connection: AmqpConnection) => Promise<T>) => Promise<T>;

function topologyOf(ask: Ask): Pick<Broker, 'queue' | 'exchangeExists' | 'deleteQueue' | 'bind' | 'unbind'> {
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

function operatorError(error: unknown): unknown {
  if (!(error instanceof MigratableError)) return error;
  return new OperatorError(CODES[error.code], `the broker: ${error.message}`, { cause: error });
}
