import type { Message } from '../messages.ts';
import type { Nats, NatsLink } from './nats-link.ts';
import { decodeMessage } from './encode-message.ts';
import { QueueReader } from './queue-reader.ts';
import { findRecord, refreshRecord } from './find-record.ts';
import { MESSAGES, ownSubject } from './record-subject.ts';

/** The message at the head of a queue: reading takes nothing from it. */
export async function peekJetStream(link: NatsLink, queue: string): Promise<Message | undefined> {
  const known = await findRecord(link, queue);
  if (known === undefined) return undefined;
  await refreshRecord(link, queue, known);
  const { log, position, options } = known.record;
  // Of several the sender deletes all but the last one, a moment later.
  if (options.maxLength === 1 && log === undefined)
    return link.use((nats) => lastMessage(nats, queue, position.own));
  const reader = new QueueReader(queue, log, position);
  return link.use((nats) => reader.head(nats));
}

async function lastMessage({ streams }: Nats, queue: string, acked: number): Promise<Message | undefined> {
  const stored = await streams.getMessage(MESSAGES, { last_by_subj: ownSubject(queue) });
  if (stored === null || stored.seq <= acked) return undefined;
  return decodeMessage({ data: stored.data, headers: stored.header });
}
