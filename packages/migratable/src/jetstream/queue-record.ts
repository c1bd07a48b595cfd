import { MigratableError } from '../migratable-error.ts';
import type { QueueOptions } from '../messages.ts';
import { isFilter, isStreamName } from './record-subject.ts';

/** The messages of a stream that a queue reads. */
export type Log = {
  readonly stream: string;
  /** Only those on these subjects. */
  readonly subject: string;
};

/** `madeAt`: when the stream was made. A number of it says nothing about one that is made anew. */
type BoundLog = Log & { readonly madeAt: string };

/** Up to which sequence number messages were acked: of those that were sent straight to the queue, and of its log. */
export type Position = { readonly own: number; readonly log: number };

/**
 * What a queue is: a position, and who moves it. Its messages are where they were published: in the log, which others read too,
 * and on the queue's own subject.
 */
export type QueueRecord = {
  readonly options: QueueOptions;
  readonly position: Position;
  readonly log?: BoundLog;
  /** The consumer that has the queue, alone. */
  readonly owner?: string;
  /** The queue is deleted. */
  readonly deleted?: Tombstone;
};

/** `expiresMs`: of the queue that was deleted. Later than that no earlier record of it would count. */
type Tombstone = { readonly expiresMs?: number };

/** For a version of this library that knows no tombstones, such a queue has expired. */
const OVER_MS = 1;

/**
 * What a record is replaced with when its queue is deleted. A record that is purged instead may be back in an older state where the
 * server is killed (seen at 2.15); one that is replaced is not.
 */
export function tombstoneOf({ options: { expiresMs } }: QueueRecord): QueueRecord {
  const deleted = expiresMs === undefined ? {} : { expiresMs };
  return { options: { expiresMs: OVER_MS }, position: { own: 0, log: 0 }, deleted };
}

/** As it is in the stream. A write says which revision it replaces, and is rejected if that is not the last one. */
export type KnownRecord = {
  readonly record: QueueRecord;
  readonly revision: number;
  /** Milliseconds since 1970, by the server's clock. */
  readonly writtenAt: number;
};

/** A record that was not written for longer than this part of the time after which it expires is written again. */
const REFRESHED = 4;

/** Whether there is no queue any more: it was deleted, or nobody has used it for so long. */
export function isExpired({ record, writtenAt }: KnownRecord, now: number): boolean {
  const { expiresMs = Infinity } = record.options;
  return record.deleted !== undefined || now - writtenAt > expiresMs;
}

/** Whether a record may be purged: should an earlier one of its queue come back, that has expired, too. */
export function isForgettable(known: KnownRecord, now: number): boolean {
  const { deleted } = known.record;
  if (deleted === undefined) return isExpired(known, now);
  return now - known.writtenAt > (deleted.expiresMs ?? Infinity);
}

/** Whether to write it again, so that it does not expire. */
export function isStale({ record, writtenAt }: KnownRecord, now: number): boolean {
  const { expiresMs = Infinity } = record.options;
  return now - writtenAt > expiresMs / REFRESHED;
}

export function isSameLog(one: Log | undefined, other: Log | undefined): boolean {
  return one?.stream === other?.stream && one?.subject === other?.subject;
}

export function encodeRecord(record: QueueRecord): string {
  return JSON.stringify(record);
}

/** Throws `Malformed` for what is no record: others may write there. */
export function decodeRecord(data: Uint8Array): QueueRecord {
  try {
    return recordOf(JSON.parse(Buffer.from(data).toString()));
  } catch (error) {
    throw new MigratableError('Malformed', 'the record of a queue is malformed', { cause: error });
  }
}

function recordOf(value: unknown): QueueRecord {
  const { options, position, log, owner, deleted } = fieldsOf(value);
  const { maxLength, expiresMs } = fieldsOf(options);
  const { own, log: ofLog } = fieldsOf(position);
  return {
    options: { ...optional('maxLength', maxLength, countOf), ...optional('expiresMs', expiresMs, countOf) },
    position: { own: countOf(own), log: countOf(ofLog) },
    ...optional('log', log, logOf),
    ...optional('owner', owner, ownerOf),
    ...optional('deleted', deleted, (tombstone) =>
      optional('expiresMs', fieldsOf(tombstone)['expiresMs'], countOf),
    ),
  };
}

function optional<F extends string, T>(
  field: F,
  value: unknown,
  parse: (value: unknown) => T,
): { readonly [K in F]?: T } {
  return value === undefined ? {} : ({ [field]: parse(value) } as { readonly [K in F]: T });
}

function logOf(value: unknown): BoundLog {
  const { stream, subject, madeAt } = fieldsOf(value);
  if (typeof stream !== 'string' || !isStreamName(stream)) throw new TypeError('stream');
  if (typeof subject !== 'string' || !isFilter(subject)) throw new TypeError('subject');
  if (typeof madeAt !== 'string') throw new TypeError('madeAt');
  return { stream, subject, madeAt };
}

/** It becomes part of a subject. */
function ownerOf(value: unknown): string {
  if (typeof value !== 'string' || !/^[\w-]{1,64}$/.test(value)) throw new TypeError('owner');
  return value;
}

function countOf(value: unknown): number {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw new TypeError('no count');
  return Number(value);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('no object');
  return { ...value };
}
