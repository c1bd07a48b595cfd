import type { ObjectKey } from '@kubewright/client';

/** Rights come back when somebody, or something, gives them back. */
const DENIED_MS = 5000;

/** An authentication backend that is started again has them back before; applications wait as long. */
const MEANT_MS = 30_000;

/**
 * For how long each migration has not reached its broker. One call that is lost is no outage, and nothing to write into a status.
 * In memory: a process that begins finds out anew.
 */
export class BrokerOutages {
  readonly #since = new Map<string, number>();
  readonly #denied = new Map<string, { readonly message: string; readonly at: number }>();
  /** Of migrations that have not begun: since when looks are denied. */
  readonly #deniedSince = new Map<string, number>();

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

  /** Whether what the broker denies, in this look and maybe in those before, it has denied for so long that it is meant so. */
  isMeant(migration: ObjectKey, now: number): boolean {
    const since = this.#deniedSince.get(textOf(migration)) ?? now;
    this.#deniedSince.set(textOf(migration), since);
    return now - since >= MEANT_MS;
  }

  /** The broker has responded, or the migration is over or gone. */
  end(migration: ObjectKey): void {
    this.#since.delete(textOf(migration));
    this.#denied.delete(textOf(migration));
    this.#deniedSince.delete(textOf(migration));
  }
}

function textOf({ namespace = '', name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
