import { type Channel, Connection } from 'rabbitmq-client';
import { amqpError } from './amqp-error.ts';
import { consumeAmqp } from './consume-amqp.ts';
import { type OnChannel, peekAmqp } from './peek-amqp.ts';
import { MigratableError } from './migratable-error.ts';
import type { Message, Messages } from './messages.ts';
import { queueArguments } from './queue-arguments.ts';

export type AmqpOptions = {
  /** `amqp://` or `amqps://`, with host, port and virtual host. */
  readonly url: string;
  /** In place of those in the URL. */
  readonly username?: string;
  readonly password?: string;
  /** Shown among the broker's connections. */
  readonly name?: string;
};

/** One connection, opened at once, and again whenever it is lost. */
export type AmqpConnection = Messages & {
  readonly onChannel: OnChannel;
  /** Ends it; what is not acked goes back. */
  close(): Promise<void>;
};

/** How long an operation waits for a connection that is lost. */
const WAIT_MS = 10_000;
const HEARTBEAT_S = 10;
const MOST_RETRY_MS = 5000;

/** The messages of RabbitMQ, or whatever else speaks AMQP 0-9-1. Throws `Malformed` for a URL that is none. */
export function connectAmqp(options: AmqpOptions): AmqpConnection {
  const connection = open(options);
  let lost: unknown;
  connection.on('error', (error) => (lost = error));
  connection.on('connection', () => (lost = undefined));
  const onChannel: OnChannel = async (use) => {
    const channel = await connection.acquire({ emitErrorsFromChannel: true }).catch((error: unknown) => {
      throw amqpError(lost ?? error, 'Unavailable');
    });
    // Why the broker closed it: what was asked for is rejected because it is closed.
    let rejected: unknown;
    channel.on('error', (error) => (rejected = error));
    try {
      return await use(channel);
    } catch (error) {
      throw amqpError(rejected ?? error);
    } finally {
      await channel.close();
    }
  };
  return {
    onChannel,
    declareQueue: (name, queue) =>
      onChannel(async (channel) => {
        await channel.queueDeclare({ queue: name, durable: true, arguments: queueArguments(queue) });
      }),
    send: (queue, message) => onChannel((channel) => send(channel, queue, message)),
    peek: (queue) => peekAmqp(onChannel, queue),
    consume: (queue, consumed) => consumeAmqp(connection, queue, consumed),
    close: () => connection.close(),
  };
}

function open({ url, username, password, name }: AmqpOptions): Connection {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'amqp:' && parsed?.protocol !== 'amqps:')
    throw new MigratableError('Malformed', 'a broker has a URL like amqp://HOST:PORT/VHOST');
  // The client reads credentials from the URL alone. `guest` is what AMQP URLs without any mean.
  if (username !== undefined) parsed.username = encodeURIComponent(username);
  if (password !== undefined) parsed.password = encodeURIComponent(password);
  if (parsed.username === '') [parsed.username, parsed.password] = ['guest', 'guest'];
  return new Connection({
    url: parsed.href,
    ...(name === undefined ? {} : { connectionName: name }),
    acquireTimeout: WAIT_MS,
    connectionTimeout: WAIT_MS,
    heartbeat: HEARTBEAT_S,
    retryLow: 100,
    retryHigh: MOST_RETRY_MS,
  });
}

async function send(
  channel: Channel,
  queue: string,
  { body, headers }: Message,
): Promise<'sent' | 'unroutable'> {
  let isReturned = false;
  channel.on('basic.return', () => (isReturned = true));
  await channel.confirmSelect();
  const envelope = { routingKey: queue, mandatory: true, durable: true, ...(headers && { headers }) };
  await channel.basicPublish(envelope, body);
  // The event comes a turn of the event loop after the confirmation: with the answer to this at the latest.
  await channel.close();
  return isReturned ? 'unroutable' : 'sent';
}
