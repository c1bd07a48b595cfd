import { consumerState } from './consumer-state.ts';
import { purgeOwn } from './declare-queue.ts';
import type { NatsLink } from './nats-link.ts';
import {
  isSameLog,
  isStale,
  type KnownRecord,
  type Log,
  type Position,
  type QueueRecord,
} from './queue-record.ts';
import { findRecord, writeRecord } from './find-record.ts';

/** A consumer that does not respond for so long has lost its queue to the next one that wants it. */
const SILENT_MS = 20_000;

/**
 * One consumer's hold on queues: it owns a queue as long as the last revision of the record is the one that it wrote. Nobody can move
 * the position but the owner, and who has lost the queue learns it from the write that is rejected.
 */
export class Cursor {
  readonly #link: NatsLink;
  readonly #queue: string;
  readonly #consumer: string;
  #known: KnownRecord | undefined;
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
    return this.#known?.record.log;
  }

  /** Whether it owns the queue now. Not if that is missing, or somebody else's, or written by another at the same time. */
  async take(signal: AbortSignal): Promise<boolean> {
    const found = await findRecord(this.#link, this.#queue, signal);
    if (found === undefined || !(await this.#mayTake(found.record))) return false;
    const position = this.#positionIn(found.record);
    this.#acked = position;
    const record = { ...found.record, position, owner: this.#consumer };
    this.#known = await writeRecord(this.#link, this.#queue, { record, revision: found.revision });
    return this.#known !== undefined;
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
    if (!isMoved && !isStale(known, this.#link.clock.now())) return true;
    return this.#write({ ...known.record, position: this.#acked });
  }

  /** Others may have it, without asking whether this consumer is there. */
  async release(): Promise<void> {
    if (this.#known === undefined) return;
    const { owner: _owner, ...record } = this.#known.record;
    await this.#write({ ...record, position: this.#acked });
    this.#known = undefined;
  }

  async #write(record: QueueRecord): Promise<boolean> {
    const before = this.#known?.record.position.own;
    const { revision = 0 } = this.#known ?? {};
    this.#known = await writeRecord(this.#link, this.#queue, { record, revision });
    if (this.#known === undefined) return false;
    if (record.position.own !== before) await purgeOwn(this.#link, this.#queue, record.position.own);
    return true;
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

  /** Only its owner moves a position: what this consumer acked before it lost its connection is acked still. */
  #positionIn({ owner, log, position }: QueueRecord): Position {
    if (owner !== this.#consumer || this.#known === undefined) return position;
    const isSame = isSameLog(log, this.#known.record.log);
    return {
      own: Math.max(position.own, this.#acked.own),
      log: isSame ? Math.max(position.log, this.#acked.log) : position.log,
    };
  }
}
