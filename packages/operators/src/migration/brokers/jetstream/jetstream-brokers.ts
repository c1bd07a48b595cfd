import { connectJetStream, type JetStreamConnection, type Log } from '@kubewright/migratable/jetstream';
import type { Binding, Broker, Brokers } from '../broker.ts';
import { type Ask, sharedConnections } from '../shared-connections.ts';

/** NATS JetStream: an exchange is a stream, a routing key is a subject in it, with or without wildcards. */
export function jetstreamBrokers(): Brokers {
  return sharedConnections(
    ({ url, credentials, login, tls }) =>
      connectJetStream({ url, ...credentials, ...login, ...tls, name: 'kubewright migration' }),
    brokerOf,
  );
}

/** A queue that nobody has. */
const NOBODYS = 'ms2m.reach';

function brokerOf(ask: Ask<JetStreamConnection>): Broker {
  return {
    // As each call, it reads whether there is a queue of the name; the stream of no queue is read.
    reach: async () => void (await ask((connection) => connection.queue(NOBODYS))),
    queue: (name) => ask((connection) => connection.queue(name)),
    exchangeExists: (name) => ask((connection) => connection.streamExists(name)),
    deliveryLimit: async () => undefined,
    declareQueue: (name, options) => ask((connection) => connection.declareQueue(name, options)),
    declarePlainQueue: (name) => ask((connection) => connection.declareQueue(name)),
    deleteQueue: (name) => ask((connection) => connection.deleteQueue(name)),
    bind: (binding) => ask((connection) => connection.bindQueue(binding.queue, logOf(binding))),
    unbind: (binding) => ask((connection) => connection.unbindQueue(binding.queue, logOf(binding))),
    send: (queue, message) => ask((connection) => connection.send(queue, message)),
    peek: (queue) => ask((connection) => connection.peek(queue)),
  };
}

const logOf = ({ exchange, routingKey }: Binding): Log => ({
  stream: exchange,
  subject: routingKey === '' ? '>' : routingKey,
});
