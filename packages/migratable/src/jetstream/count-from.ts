import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { randomName } from '../random-name.ts';
import type { Nats } from './nats-link.ts';
import type { Log } from './queue-record.ts';

/** Nanoseconds after which a server deletes the consumer that counts, if who counts did not. */
const COUNTED_NS = 5_000_000_000;

/** How many messages a log has from this number on. */
export async function countFrom(
  { consumers }: Nats,
  { stream, subject }: Log,
  from: number,
): Promise<number> {
  const { name, num_pending: count } = await consumers.add(stream, {
    name: randomName(),
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
    filter_subject: subject,
    inactive_threshold: COUNTED_NS,
    mem_storage: true,
    num_replicas: 1,
  });
  await consumers.delete(stream, name);
  return count;
}
