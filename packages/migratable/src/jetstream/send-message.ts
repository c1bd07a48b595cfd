import type { Message } from '../messages.ts';
import type { NatsLink } from './nats-link.ts';
import { encodeMessage } from './encode-message.ts';
import { findRecord } from './find-record.ts';
import { MESSAGES, ownSubject } from './record-subject.ts';

/** Straight to a queue. Where it reads a log, after what is there now: other readers of the log do not get it. */
export async function sendMessage(
  link: NatsLink,
  queue: string,
  message: Message,
): Promise<'sent' | 'unroutable'> {
  const known = await findRecord(link, queue);
  if (known === undefined) return 'unroutable';
  const { log, options } = known.record;
  const place = log === undefined ? undefined : await lastOf(link, log.stream);
  const { data, headers } = encodeMessage(message, place);
  const expect = { streamName: MESSAGES };
  await link.use(({ publish }) => publish(ownSubject(queue), data, { headers, expect }));
  await dropOldest(link, queue, options.maxLength);
  return 'sent';
}

/** The number of the last message of a stream. */
async function lastOf(link: NatsLink, stream: string): Promise<number> {
  const { state } = await link.use(({ streams }) => streams.info(stream));
  return state.last_seq;
}

async function dropOldest(link: NatsLink, queue: string, keep: number | undefined): Promise<void> {
  if (keep === undefined) return;
  await link.use(({ streams }) => streams.purge(MESSAGES, { filter: ownSubject(queue), keep }));
}
