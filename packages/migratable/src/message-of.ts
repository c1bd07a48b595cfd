import type { SyncMessage } from 'rabbitmq-client';
import type { Message } from './messages.ts';

/** A message as the client gives it. */
export function messageOf({ body, headers = {} }: Pick<SyncMessage, 'body' | 'headers'>): Message {
  const simple = Object.entries(headers as Readonly<Record<string, unknown>>).filter(
    (entry): entry is [string, string | number | boolean] =>
      ['string', 'number', 'boolean'].includes(typeof entry[1]),
  );
  return { body: body as unknown, headers: Object.fromEntries(simple) };
}
