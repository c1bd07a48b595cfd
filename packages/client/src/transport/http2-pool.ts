import { onAbort } from '@kubewright/kube';
import { abortedError, transportClosed } from '../errors/api-error.ts';
import type { Http2Session } from './http2-session.ts';

type Waiter = { readonly give: (session: Http2Session) => void; readonly fail: (error: Error) => void };

/** Opens a connection; `onGone` is called when it takes no new streams. */
export type OpenSession = (onGone: () => void) => Promise<Http2Session>;

/**
 * A pool of streams on few connections. Opens another connection only when all streams of the present ones are taken;
 * at the maximum, callers wait in order of arrival.
 */
export class Http2Pool {
  readonly #open: OpenSession;
  readonly #max: number;
  #sessions: Http2Session[] = [];
  #opening = false;
  #closed = false;
  #waiters: Waiter[] = [];

  constructor(open: OpenSession, max: number) {
    this.#open = open;
    this.#max = max;
  }

  /** A session with one stream reserved. Give it back with {@link release}. */
  acquire(signal?: AbortSignal): Http2Session | Promise<Http2Session> {
    const session = this.#waiters.length === 0 ? this.#free() : undefined;
    if (session === undefined) return this.#wait(signal);
    return reserve(session);
  }

  release(session: Http2Session): void {
    session.taken -= 1;
    if (this.#waiters.length > 0) this.#serve();
    if (session.taken === 0) session.idle();
  }

  /** The next call gets a new connection; calls under way finish on theirs. */
  retire(): void {
    for (const session of this.#sessions) session.retire();
  }

  close(): void {
    this.#closed = true;
    this.#failAll(transportClosed());
    for (const session of this.#sessions) session.destroy('the transport is closed');
    this.#sessions = [];
  }

  #wait(signal?: AbortSignal): Promise<Http2Session> {
    if (this.#closed) return Promise.reject(transportClosed());
    return new Promise((resolve, reject) => {
      const settle = onAbort(signal, () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(abortedError(signal));
      });
      const waiter: Waiter = {
        give: (session) => {
          settle();
          resolve(session);
        },
        fail: (error) => {
          settle();
          reject(error);
        },
      };
      this.#waiters.push(waiter);
      this.#serve();
    });
  }

  #free(): Http2Session | undefined {
    return this.#sessions.find((session) => session.free);
  }

  /** Gives free streams to waiting callers; opens a connection if some still wait. */
  #serve(): void {
    while (this.#waiters.length > 0) {
      const session = this.#free();
      if (session === undefined) break;
      this.#waiters.shift()?.give(reserve(session));
    }
    if (this.#waiters.length > 0 && !this.#opening && this.#openCount() < this.#max)
      this.#grow().catch((error: unknown) => this.#failAll(error as Error));
  }

  async #grow(): Promise<void> {
    this.#opening = true;
    try {
      const session = await this.#open(() => this.#forgetClosed());
      this.#opening = false;
      this.#sessions.push(session);
      if (this.#closed) this.close();
      else this.#serve();
    } catch (error) {
      this.#opening = false;
      // Even while a connection remains: all its streams may be watches, and the wait would never end.
      this.#failAll(error as Error);
    }
  }

  /** A connection takes no new streams. It is kept while it has streams, so that close() ends them. */
  #forgetClosed(): void {
    this.#sessions = this.#sessions.filter((session) => !session.raw.destroyed);
    this.#serve();
  }

  #openCount(): number {
    return this.#sessions.filter((session) => session.open).length;
  }

  #failAll(error: Error): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.fail(error);
  }
}

function reserve(session: Http2Session): Http2Session {
  session.taken += 1;
  if (session.taken === 1) session.busy();
  return session;
}
