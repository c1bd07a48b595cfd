import type { StatefulMigration } from './api.ts';

/**
 * For how long each migration has not reached its broker. One call that is lost is no outage, and nothing to write into a status.
 * In memory: a process that begins finds out anew.
 */
export class BrokerOutages {
  readonly #since = new Map<string, number>();

  /** Milliseconds since the first look in a row that failed; `now` is of a clock that is never set. */
  lasting({ metadata: { uid } }: StatefulMigration, now: number): number {
    const since = this.#since.get(uid) ?? now;
    this.#since.set(uid, since);
    return now - since;
  }

  /** The broker has responded, or the migration is over. */
  end({ metadata: { uid } }: StatefulMigration): void {
    this.#since.delete(uid);
  }
}
