import type { Channel } from 'rabbitmq-client';
import { MigratableError } from './migratable-error.ts';
import { lockQueue } from './protocol.ts';

/**
 * For as long as the channel lives, no other process that calls this has the queue. A quorum queue ignores that a consumer wants
 * to be alone; the lock is a queue of this connection, with a consumer on this channel, and the broker deletes it with either.
 * Rejects where another process has the lock, or the queue still has a consumer, whoever it is: one whose connection is lost
 * on its side only has messages in hand until the broker notices that, and they come back before those that are ready.
 */
export async function beAlone(channel: Channel, queue: string): Promise<void> {
  const lock = lockQueue(queue);
  const type = { 'x-queue-type': 'classic' } as const;
  await channel.queueDeclare({ queue: lock, exclusive: true, autoDelete: true, arguments: type });
  await channel.basicConsume({ queue: lock, exclusive: true }, () => undefined);
  const { consumerCount } = await channel.queueDeclare({ queue, passive: true });
  if (consumerCount > 0) throw new MigratableError('Rejected', `queue '${queue}' has another consumer`);
}
