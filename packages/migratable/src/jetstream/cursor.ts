import { consumerState } from './consumer-state.ts';
import { purgeOwn } from './declare-queue.ts';
import { findRecord, writeRecord } from './find-record.ts';
import type { NatsLink } from './nats-link.ts';
import {
  isSameLog,
  isStale,
  type KnownRecord,
  type Log,
  type Position,
  type QueueRecord,
} from './queue-record.ts';

/** A consumer that does not respond for so long has lost its queue to the next one that wants it. */
const SILENT_MS = 20_000;

/**
 * One consumer's hold on a queue: it owns the queue as long as the last revision of the record is the one that it wrote. Nobody else
 * moves the position, and whoever has lost the queue learns it from the write that is rejected.
 */
export class Cursor {
  readonly #link: NatsLink;
  readonly #queue: string;
  readonly #consumer: string;
  #known: KnownRecord | undefined;
  #log: Log | undefined;
  /** Up to where messages were acked. Ahead of the record until it is written. */
  #acked: Position = { own: 0, log: 0 };
  #silent: { readonly owner: string; readonly since: number } | undefined;

  constructor(link: NatsLink, queue: string, consumer: string) {
    this.#link = link;
    this.#queue = queue;
    this.#consumer = consumer;
  }

  get position(): Position {
    return this.#acked;
  }

  get log(): Log | undefined {
    return this.#log;
  }

  /** Whether it owns the queue now. Not if that is missing, or somebody else's, or written by another at the same time. */
  async take(signal: AbortSignal): Promise<boolean> {
    const found = await findRecord(this.#link, this.#queue, signal);
    if (found === undefined || !(await this.#mayTake(found.record))) return false;
    const record = await this.#upToDate(found.record);
    this.#acked = this.#positionIn(record);
    this.#log = record.log;
    return this.#write({ ...record, owner: this.#consumer }, found.revision);
  }

  /** Everything up to there was acked. */
  ack(position: Position): void {
    this.#acked = position;
  }

  /** Whether it still owns the queue. */
  async isHeld(): Promise<boolean> {
    const found = await findRecord(this.#link, this.#queue);
    return found !== undefined && found.revision === this.#known?.revision;
  }

  /** Writes what was acked, and also what has not been written for long. False if the queue was lost. */
  async commit(): Promise<boolean> {
    const known = this.#known;
    if (known === undefined) return false;
    const { position } = known.record;
    const isMoved = position.own !== this.#acked.own || position.log !== this.#acked.log;
    if (!isMoved && !isStale(known, this.#link.serverTime)) return true;
    return this.#write(known.record, known.revision);
  }

  /** Others may have it, without asking whether this consumer is there. Somebody may have renewed the record meanwhile. */
  async release(): Promise<void> {
    for (let isWritten = false; !isWritten; ) {
      const found = await findRecord(this.#link, this.#queue);
      if (found?.record.owner !== this.#consumer) return;
      this.#acked = this.#positionIn(found.record);
      const { owner: _owner, ...record } = found.record;
      isWritten = await this.#write(record, found.revision);
    }
  }

  async #write(record: QueueRecord, revision: number): Promise<boolean> {
    const written = { record: { ...record, position: this.#acked }, revision };
    const before = this.#known?.record.position.own;
    this.#known = await writeRecord(this.#link, this.#queue, written);
    if (this.#known === undefined) return false;
    if (this.#acked.own !== before) await purgeOwn(this.#link, this.#queue, this.#acked.own);
    return true;
  }

  /** A stream that was made anew is read from its first message. */
  async #upToDate(record: QueueRecord): Promise<QueueRecord> {
    const { log, position } = record;
    if (log === undefined) return record;
    const { created: madeAt } = await this.#link.use(({ streams }) => streams.info(log.stream));
    if (madeAt === log.madeAt) return record;
    this.#log = undefined;
    return { ...record, log: { ...log, madeAt }, position: { ...position, log: 0 } };
  }

  async #mayTake({ owner }: QueueRecord): Promise<boolean> {
    if (owner === undefined || owner === this.#consumer) return true;
    const state = await consumerState(this.#link, owner);
    const now = this.#link.clock.monotonic();
    if (state !== 'silent') this.#silent = undefined;
    else if (this.#silent?.owner !== owner) this.#silent = { owner, since: now };
    const isLost = this.#silent !== undefined && now - this.#silent.since > SILENT_MS;
    return state === 'gone' || isLost;
  }

  /** What this consumer acked before it lost its connection is acked still: where it is the owner, nobody else has been. */
  #positionIn({ owner, log, position }: QueueRecord): Position {
    if (owner !== this.#consumer) return position;
    return {
      own: Math.max(position.own, this.#acked.own),
      log: isSameLog(log, this.#log) ? Math.max(position.log, this.#acked.log) : position.log,
    };
  }
}
