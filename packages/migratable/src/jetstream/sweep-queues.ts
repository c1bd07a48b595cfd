import type { Nats, NatsLink } from './nats-link.ts';
import { decodeRecord, isExpired } from './queue-record.ts';
import { ifFound, lastRecord } from './find-record.ts';
import { ALL_OWN, ALL_RECORDS, MESSAGES, ownOfRecord, QUEUES, recordOfOwn } from './record-subject.ts';

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

  async look(): Promise<void> {
    if (this.#link.clock.monotonic() - this.#lookedAt < PAUSE_MS) return;
    this.#lookedAt = this.#link.clock.monotonic();
    await ifFound(this.#link.use((nats) => this.#deleteExpired(nats)));
    await ifFound(this.#deleteOrphans());
  }

  async #deleteExpired(nats: Nats): Promise<void> {
    for (let looks = 0; looks < MOST; looks++) {
      const query = { seq: this.#from, next_by_subj: ALL_RECORDS };
      const stored = await nats.streams.getMessage(QUEUES, query);
      const writtenAt = stored?.time.getTime() ?? Infinity;
      const now = this.#link.clock.now();
      if (stored === null || now - writtenAt < YOUNG_MS) {
        this.#from = 1;
        return;
      }
      this.#from = stored.seq + 1;
      const known = { record: decodeRecord(stored.data), revision: stored.seq, writtenAt };
      if (!isExpired(known, now)) continue;
      // Up to this one: if it is declared again, it has another.
      await nats.streams.purge(QUEUES, { filter: stored.subject, seq: stored.seq + 1 });
      const own = { filter: ownOfRecord(stored.subject), seq: known.record.position.own + 1 };
      await nats.streams.purge(MESSAGES, own);
    }
  }

  /** Messages of queues that are gone: they were on their way when it was deleted. */
  async #deleteOrphans(): Promise<void> {
    const { state } = await this.#link.use(({ streams }) =>
      streams.info(MESSAGES, { subjects_filter: ALL_OWN }),
    );
    for (const subject of Object.keys(state.subjects ?? {})) {
      if ((await lastRecord(this.#link, recordOfOwn(subject))) !== undefined) continue;
      const upTo = { filter: subject, seq: state.last_seq + 1 };
      await this.#link.use(({ streams }) => streams.purge(MESSAGES, upTo));
    }
  }
}
