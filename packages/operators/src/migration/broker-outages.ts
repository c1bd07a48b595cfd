import type { ObjectKey } from '@kubewright/client';

/** Rights come back when somebody, or something, gives them back. */
const DENIED_MS = 5000;

/**
 * For how long each migration has not reached its broker. One call that is lost is no outage, and nothing to write into a status.
 * In memory: a process that begins finds out anew.
 */
export class BrokerOutages {
  readonly #since = new Map<string, number>();
  readonly #denied = new Map<string, { readonly message: string; readonly at: number }>();

  /** Milliseconds since the first look in a row that failed; `now` is of a clock that is never set. */
  lasting(migration: ObjectKey, now: number): number {
    const key = textOf(migration);
    const since = this.#since.get(key) ?? now;
    this.#since.set(key, since);
    return now - since;
  }

  /** The broker does not permit what the migration needs, although it responds. */
  deny(migration: ObjectKey, message: string, now: number): void {
    this.#denied.set(textOf(migration), { message, at: now });
  }

  /** Why nothing is tried at the broker for some seconds; undefined: it may be. */
  denial(migration: ObjectKey, now: number): string | undefined {
    const { message, at = -Infinity } = this.#denied.get(textOf(migration)) ?? {};
    if (now - at < DENIED_MS) return message;
    this.#denied.delete(textOf(migration));
    return undefined;
  }

  /** The broker has responded, or the migration is over or gone. */
  end(migration: ObjectKey): void {
    this.#since.delete(textOf(migration));
    this.#denied.delete(textOf(migration));
  }
}

function textOf({ namespace = '', name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
