import { MigratableError } from '../migratable-error.ts';
import { isConflict } from './nats-error.ts';
import type { NatsLink } from './nats-link.ts';
import {
  decodeRecord,
  encodeRecord,
  isExpired,
  isStale,
  type KnownRecord,
  type QueueRecord,
  tombstoneOf,
} from './queue-record.ts';
import { MESSAGES, ownSubject, QUEUES, recordSubject } from './record-subject.ts';

/** Undefined if the queue does not exist, or has expired. */
export async function findRecord(
  link: NatsLink,
  queue: string,
  signal?: AbortSignal,
): Promise<KnownRecord | undefined> {
  const known = await lastRecord(link, recordSubject(queue), signal);
  return known === undefined || isExpired(known, link.serverTime) ? undefined : known;
}

/** As {@link findRecord}, also of what has expired: whoever writes in its place replaces it. */
export async function lastRecord(
  link: NatsLink,
  subject: string,
  signal?: AbortSignal,
): Promise<KnownRecord | undefined> {
  const asked = link.use(({ streams }) => streams.getMessage(QUEUES, { last_by_subj: subject }), signal);
  const stored = await ifFound(asked);
  if (stored === undefined || stored === null) return undefined;
  return { record: decodeRecord(stored.data), revision: stored.seq, writtenAt: stored.time.getTime() };
}

/** In the place of this revision, 0 where there is none; undefined if that is not the last one any more. */
export async function writeRecord(
  link: NatsLink,
  queue: string,
  { record, revision }: { readonly record: QueueRecord; readonly revision: number },
): Promise<KnownRecord | undefined> {
  const expect = { streamName: QUEUES, lastSubjectSequence: revision };
  try {
    const { seq } = await link.use(({ publish }) =>
      publish(recordSubject(queue), encodeRecord(record), { expect }),
    );
    if (!link.knowsTime) await learnTime(link, seq);
    return { record, revision: seq, writtenAt: link.serverTime };
  } catch (error) {
    if (error instanceof MigratableError && isConflict(error)) return undefined;
    throw error;
  }
}

async function learnTime(link: NatsLink, seq: number): Promise<void> {
  const stored = await link.use(({ streams }) => streams.getMessage(QUEUES, { seq }));
  if (stored !== null) link.learnTime(stored.time);
}

/** Whoever uses a queue keeps it from expiring. It may have been written by another one meanwhile: that is as good. */
export async function refreshRecord(link: NatsLink, queue: string, known: KnownRecord): Promise<void> {
  if (isStale(known, link.serverTime)) await writeRecord(link, queue, known);
}

/** The record first: without one nobody sends to the queue. */
export async function removeQueue(link: NatsLink, queue: string): Promise<void> {
  for (;;) {
    const known = await lastRecord(link, recordSubject(queue)).catch(ignoreMalformed);
    if (known === undefined || known.record.deleted !== undefined) break;
    const { record, revision } = known;
    if ((await writeRecord(link, queue, { record: tombstoneOf(record), revision })) !== undefined) break;
  }
  await ifFound(link.use(({ streams }) => streams.purge(MESSAGES, { filter: ownSubject(queue) })));
}

/** What somebody else has written there is no record of a queue. */
function ignoreMalformed(error: unknown): undefined {
  if (!(error instanceof MigratableError) || error.code !== 'Malformed') throw error;
}

/** Undefined where the stream is not there. */
export async function ifFound<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof MigratableError && error.code === 'NotFound') return undefined;
    throw error;
  }
}
