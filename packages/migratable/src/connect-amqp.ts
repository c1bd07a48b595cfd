import type { Channel } from 'rabbitmq-client';
import { AmqpLink } from './amqp/amqp-link.ts';
import type { AmqpOptions } from './amqp/client-options.ts';
import { amqpError } from './amqp-error.ts';
import { consumeAmqp } from './consume-amqp.ts';
import { type OnChannel, peekAmqp } from './peek-amqp.ts';
import { MigratableError } from './migratable-error.ts';
import type { Message, Messages } from './messages.ts';
import { queueArguments } from './queue-arguments.ts';

export { nacksInPlace } from './amqp/server-version.ts';
export type { AmqpOptions };

/** One connection, opened at once, and again whenever it is lost. */
export type AmqpConnection = Messages & {
  readonly onChannel: OnChannel;
  /** Of the broker, such as `4.3.6`; undefined before the first connection is open, and where the broker does not say it. */
  readonly version: string | undefined;
  /** Ends it; what is not acked goes back. */
  close(): Promise<void>;
};

/** The messages of RabbitMQ, or whatever else speaks AMQP 0-9-1. Throws `Malformed` for a URL that is none. */
export function connectAmqp(options: AmqpOptions): AmqpConnection {
  const link = new AmqpLink(options);
  const onChannel: OnChannel = async (use) => {
    const channel = await link.acquire();
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
    get version() {
      return link.version;
    },
    declareQueue: (name, queue) =>
      onChannel(async (channel) => {
        await channel.queueDeclare({ queue: name, durable: true, arguments: queueArguments(queue) });
      }).catch((error: unknown) => {
        throw withNextStep(error, name);
      }),
    send: (queue, message) => onChannel((channel) => send(channel, queue, message)),
    peek: (queue) => peekAmqp(onChannel, queue),
    consume: (queue, consumed) => consumeAmqp(link, queue, consumed),
    close: () => link.close(),
  };
}

/** Of a declaration that was rejected. */
function withNextStep(error: unknown, queue: string): unknown {
  if (!(error instanceof MigratableError) || error.code !== 'Rejected') return error;
  if (!error.message.includes('inequivalent arg')) return error;
  const next = `delete queue '${queue}', which others declared, or an earlier version: it is declared again`;
  return new MigratableError('Rejected', `${error.message}; ${next}`, { cause: error });
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
