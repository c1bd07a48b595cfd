import type { Message } from './messages.ts';

/** Which message it is: producers number theirs upwards, in the order in which they publish them. */
export type Identity = { readonly producer: string; readonly seq: number };
export type Identify = (message: Message) => Identity | undefined;

/** `seq` and `producer` (default: all messages are of one) of a JSON body. Undefined for whatever has no number. */
export function identifyByBody({ body }: Message): Identity | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { seq, producer = '' } = body as { readonly seq?: unknown; readonly producer?: unknown };
  const isNumber = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0;
  return isNumber && typeof producer === 'string' ? { producer, seq } : undefined;
}
