import { DiscardPolicy, type StreamConfig, StorageType } from '@nats-io/jetstream';
import { MigratableError } from '../migratable-error.ts';
import type { QueueOptions } from '../messages.ts';
import { isWithoutPeers } from './nats-error.ts';
import type { NatsLink } from './nats-link.ts';
import { isExpired } from './queue-record.ts';
import { ifFound, lastRecord, refreshRecord, writeRecord } from './find-record.ts';
import { ALL_OWN, ALL_RECORDS, MESSAGES, ownSubject, QUEUES, recordSubject } from './record-subject.ts';

/** Of a stream in a cluster: it is there while one server is not. */
const REPLICAS = 3;

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

type Made = Partial<StreamConfig> & { readonly name: string };

/** Somebody else may make it at the same time, or has made it with other settings. */
async function create(link: NatsLink, config: Made): Promise<void> {
  if ((await ifFound(link.use(({ streams }) => streams.info(config.name)))) !== undefined) return;
  const replicas = await link.use(async ({ connection }) =>
    connection.info?.cluster === undefined ? 1 : REPLICAS,
  );
  try {
    await link.use(({ streams }) => streams.add({ ...config, num_replicas: replicas }));
  } catch (error) {
    throw error instanceof MigratableError && isWithoutPeers(error) ? tooFew(config.name, error) : error;
  }
}

/** Of a cluster that has just started, in a moment there are more. */
function tooFew(stream: string, cause: MigratableError): MigratableError {
  const text = `stream ${stream} is to be on ${REPLICAS} servers (${cause.message}): in a cluster of fewer ones make it before, with fewer replicas`;
  return new MigratableError('Unavailable', text, { cause });
}
