import type { ObjectKey } from '@kubewright/client';

/**
 * For how long each migration has not reached its broker. One call that is lost is no outage, and nothing to write into a status.
 * In memory: a process that begins finds out anew.
 */
export class BrokerOutages {
  readonly #since = new Map<string, number>();

  /** Milliseconds since the first look in a row that failed; `now` is of a clock that is never set. */
  lasting(migration: ObjectKey, now: number): number {
    const key = textOf(migration);
    const since = this.#since.get(key) ?? now;
    this.#since.set(key, since);
    return now - since;
  }

  /** The broker has responded, or the migration is over or gone. */
  end(migration: ObjectKey): void {
    this.#since.delete(textOf(migration));
  }
}

function textOf({ namespace = '', name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
