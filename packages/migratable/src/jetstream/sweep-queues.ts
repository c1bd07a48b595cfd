import type { StoredMsg } from '@nats-io/jetstream';
import { MigratableError } from '../migratable-error.ts';
import type { Nats, NatsLink } from './nats-link.ts';
import { decodeRecord, isForgettable, type KnownRecord } from './queue-record.ts';
import { ALL_OWN, ALL_RECORDS, MESSAGES, QUEUES, recordOfOwn } from './record-subject.ts';

/** How often a process looks, at most. */
const PAUSE_MS = 600_000;
/** What was written within this time has not expired: no queue of this protocol expires sooner. */
const YOUNG_MS = 600_000;
/** Records that are looked at in one go. */
const MOST = 1000;

/**
 * Deletes queues that have expired. JetStream deletes messages by their age alone before version 2.11, and a queue that is used does
 * not expire: so whoever declares a queue looks now and then.
 */
export class QueueSweep {
  readonly #link: NatsLink;
  #lookedAt = -Infinity;
  /** Where the next look begins. Records that are used are written again, behind all others: the oldest ones come first. */
  #from = 1;

  constructor(link: NatsLink) {
    this.#link = link;
  }

  /** What it cannot delete now, another look will. */
  async look(): Promise<void> {
    if (this.#link.clock.monotonic() - this.#lookedAt < PAUSE_MS) return;
    this.#lookedAt = this.#link.clock.monotonic();
    try {
      await this.#link.use((nats) => this.#deleteExpired(nats));
      await this.#deleteOrphans();
    } catch (error) {
      if (!(error instanceof MigratableError)) throw error;
    }
  }

  async #deleteExpired(nats: Nats): Promise<void> {
    for (let looks = 0; looks < MOST; looks++) {
      const query = { seq: this.#from, next_by_subj: ALL_RECORDS };
      const stored = await nats.streams.getMessage(QUEUES, query);
      const writtenAt = stored?.time.getTime() ?? Infinity;
      const now = this.#link.serverTime;
      if (stored === null || now - writtenAt < YOUNG_MS) {
        this.#from = 1;
        return;
      }
      this.#from = stored.seq + 1;
      // Up to this one: if it is declared again, it has another.
      if (isOver(stored, now))
        await nats.streams.purge(QUEUES, { filter: stored.subject, seq: stored.seq + 1 });
    }
  }

  /** Messages of queues that are gone: with those that were on their way when a queue was deleted. */
  async #deleteOrphans(): Promise<void> {
    const { state } = await this.#link.use(({ streams }) =>
      streams.info(MESSAGES, { subjects_filter: ALL_OWN }),
    );
    for (const subject of Object.keys(state.subjects ?? {})) {
      const upTo = { filter: subject, seq: state.last_seq + 1 };
      await this.#link.use(async ({ streams }) => {
        const record = await streams.getMessage(QUEUES, { last_by_subj: recordOfOwn(subject) });
        if (record === null || isDeleted(record)) await streams.purge(MESSAGES, upTo);
      });
    }
  }
}

/** Not what is no record: it is nobody's to delete. */
function isOver(stored: StoredMsg, now: number): boolean {
  const known = knownOf(stored);
  return known !== undefined && isForgettable(known, now);
}

const isDeleted = (stored: StoredMsg): boolean => knownOf(stored)?.record.deleted !== undefined;

function knownOf({ data, seq, time }: StoredMsg): KnownRecord | undefined {
  try {
    return { record: decodeRecord(data), revision: seq, writtenAt: time.getTime() };
  } catch (error) {
    if (!(error instanceof MigratableError)) throw error;
    return undefined;
  }
}
