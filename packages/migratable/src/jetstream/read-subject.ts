import type { StoredMsg } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Message } from '../messages.ts';
import type { Nats } from './nats-link.ts';
import { decodeMessage, placeOf } from './encode-message.ts';

/** A message in a stream. */
export type Stored = {
  readonly seq: number;
  readonly message: Message;
  /** See `placeOf`. */
  readonly place: number;
};

export type Range = {
  readonly stream: string;
  readonly subject: string;
  /** The first sequence number. */
  readonly from: number;
  readonly limit: number;
};

/** What was read, in its order; `isWhole`: there was nothing more. */
export type Read = { readonly found: readonly Stored[]; readonly isWhole: boolean };

/**
 * The next messages of a stream, each read by a request of its own, several at a time: the server keeps nothing for who reads.
 * One request returns the first message at or after a number, so the numbers to ask for are guessed: where the subject has every
 * message, each request returns another one; where a guess was wrong the next call asks again, from what is known.
 */
export async function readSubject(nats: Nats, range: Range): Promise<Read> {
  const { from, limit } = range;
  const asked = Array.from({ length: limit }, (_, index) => nextOn(nats, range, from + index));
  const responses = await Promise.all(asked);
  const found: Stored[] = [];
  let next = from;
  // A response to a later request may have what came after an earlier request found nothing: it counts only without a gap.
  for (let index = 0; index < limit; index = next - from) {
    const stored = responses[index];
    if (stored === undefined) return { found, isWhole: true };
    found.push(stored);
    next = stored.seq + 1;
  }
  return { found, isWhole: false };
}

async function nextOn(
  { streams }: Nats,
  { stream, subject }: Range,
  seq: number,
): Promise<Stored | undefined> {
  const query = { seq, next_by_subj: subject };
  const stored = await streams.getMessage(stream, query);
  if (stored === null) return undefined;
  const encoded = { data: stored.data, headers: headersOf(stored) };
  return { seq: stored.seq, message: decodeMessage(encoded), place: placeOf(encoded) };
}

/** Without any where they are malformed: whoever published it must not stop all who read. */
function headersOf(stored: StoredMsg): MsgHdrs {
  try {
    return stored.header;
  } catch {
    return headers();
  }
}
