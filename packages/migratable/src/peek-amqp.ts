import type { AsyncMessage, Channel } from 'rabbitmq-client';
import { messageOf } from './message-of.ts';
import { MigratableError } from './migratable-error.ts';
import type { Message } from './messages.ts';
import { timer } from './timer.ts';

/** Calls `use` with a channel of its own, and closes that. Rejects with `MigratableError`. */
export type OnChannel = <T>(use: (channel: Channel) => Promise<T>) => Promise<T>;

/** Between two attempts while another process looks. */
const RETRY_MS = 10;
/** Longer than a broker keeps a connection that misses its heartbeats. */
const MOST_ATTEMPTS = 3000;

/**
 * The message at the head of a queue, which stays there; undefined where there is none, or no such queue. Who looks has the
 * message in hand meanwhile, and to anybody else the queue would seem empty: so one process looks at a time, as the only
 * consumer. Rejects with `Unavailable` where another consumer does not end.
 */
export async function peekAmqp(onChannel: OnChannel, queue: string): Promise<Message | undefined> {
  const never = new AbortController().signal;
  for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts++) {
    try {
      return await onChannel((channel) => peekAlone(channel, queue));
    } catch (error) {
      if (!(error instanceof MigratableError)) throw error;
      if (error.code === 'NotFound') return undefined;
      if (!isInUse(error)) throw error;
    }
    await timer(RETRY_MS, never);
  }
  throw new MigratableError('Unavailable', `queue '${queue}' has another consumer`);
}

async function peekAlone(channel: Channel, queue: string): Promise<Message | undefined> {
  let head: AsyncMessage | undefined;
  await channel.basicQos({ prefetchCount: 1 });
  await channel.basicConsume({ queue, exclusive: true }, (message) => {
    head ??= message;
  });
  // The queue hands the message out before it answers the first; the channel passes it on before it answers the second.
  await channel.queueDeclare({ queue, passive: true });
  const { consumerCount } = await channel.queueDeclare({ queue, passive: true });
  if (head === undefined && consumerCount > 1) throw new MigratableError('Rejected', IN_USE);
  // The caller closes the channel, without cancelling first: the message is back before anybody else can consume.
  return head && messageOf(head);
}

/** What RabbitMQ says of a classic queue. A quorum queue takes more consumers, and says how many it has. */
const IN_USE = 'in exclusive use';

/** Not where the user lacks the right to read: that has the same code. */
const isInUse = ({ code, message }: MigratableError): boolean =>
  code === 'Rejected' && message.includes('exclusive use');
