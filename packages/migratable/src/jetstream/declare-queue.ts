import { DiscardPolicy, type StreamConfig, StorageType } from '@nats-io/jetstream';
import { MigratableError } from '../migratable-error.ts';
import type { QueueOptions } from '../messages.ts';
import type { NatsLink } from './nats-link.ts';
import { isExpired } from './queue-record.ts';
import { ifFound, lastRecord, refreshRecord, writeRecord } from './find-record.ts';
import { ALL_OWN, ALL_RECORDS, MESSAGES, ownSubject, QUEUES, recordSubject } from './record-subject.ts';

/** Rejects with `Rejected` if it exists with other options. */
export async function declareQueue(link: NatsLink, queue: string, options: QueueOptions = {}): Promise<void> {
  for (;;) {
    const known = await lastRecord(link, recordSubject(queue));
    const isThere = known !== undefined && !isExpired(known, link.serverTime);
    if (isThere && !isSame(known.record.options, options))
      throw new MigratableError('Rejected', `queue ${queue} is declared with other options`);
    if (isThere) return refreshRecord(link, queue, known);
    // What an earlier queue of this name has left is not of this one.
    const own = await lastOwn(link);
    const record = { options, position: { own, log: 0 } };
    const written = await writeRecord(link, queue, { record, revision: known?.revision ?? 0 });
    if (written !== undefined) return purgeOwn(link, queue, own);
  }
}

function isSame(one: QueueOptions, other: QueueOptions): boolean {
  return one.maxLength === other.maxLength && one.expiresMs === other.expiresMs;
}

/** Deletes what was sent straight to the queue, up to this number. */
export async function purgeOwn(link: NatsLink, queue: string, upTo: number): Promise<void> {
  // Up to the first one, a server would delete them all.
  if (upTo === 0) return;
  await link.use(({ streams }) => streams.purge(MESSAGES, { filter: ownSubject(queue), seq: upTo + 1 }));
}

/** The last number in the stream of sent messages; makes the streams where they are missing. */
async function lastOwn(link: NatsLink): Promise<number> {
  const info = await ifFound(link.use(({ streams }) => streams.info(MESSAGES)));
  if (info !== undefined) return info.state.last_seq;
  await create(link, {
    name: QUEUES,
    subjects: [ALL_RECORDS],
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
  });
  await create(link, { name: MESSAGES, subjects: [ALL_OWN], storage: StorageType.File });
  return 0;
}

/** Somebody else may make it at the same time, or has made it with other settings. */
async function create(
  link: NatsLink,
  config: Partial<StreamConfig> & { readonly name: string },
): Promise<void> {
  if ((await ifFound(link.use(({ streams }) => streams.info(config.name)))) !== undefined) return;
  await link.use(({ streams }) => streams.add(config));
}
