import type { Subscription } from '@nats-io/transport-node';
import { timer } from '../timer.ts';
import type { NatsLink } from './nats-link.ts';

/** How long to wait where nothing wakes it: what a stream takes from other streams is not published to subscribers. */
const MOST_MS = 2000;
/** After a message was published: the stream stores it a moment later. */
const LEAST_MS = 2;
/** From then on it has been stored, or is none of the stream's. */
const STORED_MS = 500;

/** Waits until something is published on one of a few subjects. It is a hint to read a stream again, and no more than that. */
export class WakeUp {
  readonly #link: NatsLink;
  readonly #subjects: readonly string[];
  readonly #signal: AbortSignal;
  #subscriptions: readonly Subscription[] = [];
  #woken = new AbortController();
  #pauseMs = MOST_MS;
  readonly #aborted = (): void => this.#woken.abort();

  /** `signal` ends a wait. */
  constructor(link: NatsLink, subjects: readonly string[], signal: AbortSignal) {
    this.#link = link;
    this.#subjects = subjects;
    this.#signal = signal;
    signal.addEventListener('abort', this.#aborted, { once: true });
  }

  /** Returns at once the first time: what was published before it subscribed has to be looked for. */
  async wait(): Promise<void> {
    if (this.#subscriptions.length === 0) return this.#subscribe();
    if (!this.#signal.aborted) await timer(this.#pauseMs, this.#woken.signal);
    if (this.#woken.signal.aborted) {
      this.#unsubscribe();
      this.#pauseMs = LEAST_MS;
    } else this.#pauseMs = this.#pauseMs < STORED_MS ? 2 * this.#pauseMs : MOST_MS;
  }

  /** There was something to read. */
  reset(): void {
    this.#pauseMs = MOST_MS;
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.#aborted);
    this.#unsubscribe();
  }

  /** To one message of each subject: who has much to read does not get it twice. */
  async #subscribe(): Promise<void> {
    const woken = this.#woken;
    const callback = (error: Error | null): void => {
      // Where the account may not subscribe, it looks at times.
      if (error === null) woken.abort();
    };
    this.#subscriptions = await this.#link.use(async ({ connection }) =>
      this.#subjects.map((subject) => connection.subscribe(subject, { max: 1, callback })),
    );
  }

  #unsubscribe(): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#subscriptions = [];
    this.#woken = new AbortController();
  }
}
