import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { type ConnectionOptions, errors, type NatsConnection } from '@nats-io/transport-node';
import { type Clock, systemClock } from '../clock.ts';
import { MigratableError } from '../migratable-error.ts';
import { timer } from '../timer.ts';
import { natsError } from './nats-error.ts';
import { connectGuarded } from './transport/guarded-transport.ts';

/** A connection that is open, and what is called over it. */
export type Nats = {
  readonly connection: NatsConnection;
  readonly streams: JetStreamManager['streams'];
  readonly consumers: JetStreamManager['consumers'];
  readonly publish: JetStreamClient['publish'];
};

/** How long a call waits for a connection that is lost, and for a response. */
const WAIT_MS = 10_000;
/** How long a server may take until the connection is open: less, so that the error of a call says why it is not. */
const OPEN_MS = 9000;
/** How long a server may take to end a connection. */
const CLOSE_MS = 2000;
const LEAST_RETRY_MS = 100;
const MOST_RETRY_MS = 5000;
/** A server that does not respond to two of them is lost. */
const PING_MS = 10_000;

const NEVER = new AbortController().signal;

/**
 * Keeps one connection open, and opens another one when it is lost. The client's own reconnection is not used: it sends what was
 * written meanwhile, when its caller has long been given an error.
 */
export class NatsLink {
  readonly clock: Clock;
  readonly #options: ConnectionOptions;
  readonly #closed = new AbortController();
  readonly #ended: Promise<void>;
  #nats: Nats | undefined;
  /** Aborted when the next connection is open. */
  #opened = new AbortController();
  #lost: unknown;
  /** Aborted when the next attempt to connect finds something that is no server. */
  #foreign = new AbortController();
  /** What the server's clock is ahead of ours. */
  #ahead: number | undefined;
  /** Ends calls that wait for a response which does not come any more. */
  readonly #waiting = new Set<(error: unknown) => void>();

  constructor(options: ConnectionOptions, clock: Clock = systemClock) {
    this.clock = clock;
    this.#options = {
      ...options,
      reconnect: false,
      timeout: OPEN_MS,
      pingInterval: PING_MS,
      maxPingOut: 2,
      // A server could name others, and get them the credentials.
      ignoreClusterUpdates: true,
    };
    this.#ended = this.#run();
  }

  get isOpen(): boolean {
    return this.#nats !== undefined;
  }

  /**
   * Milliseconds since 1970 by the server's clock, which is in its messages: that of this machine may be another one. Before it is
   * known, none have passed.
   */
  get serverTime(): number {
    return this.#ahead === undefined ? 0 : this.clock.monotonic() + this.#ahead;
  }

  get knowsTime(): boolean {
    return this.#ahead !== undefined;
  }

  /** From a message that was stored just now. */
  learnTime(stored: Date): void {
    this.#ahead = stored.getTime() - this.clock.monotonic();
  }

  /** Rejects with `MigratableError`: at once when `signal` is aborted while there is no connection. */
  async use<T>(call: (nats: Nats) => Promise<T>, signal: AbortSignal = NEVER): Promise<T> {
    const nats = await this.#open(signal);
    let fail: (error: unknown) => void = () => undefined;
    const lost = new Promise<never>((_resolve, reject) => (fail = reject));
    this.#waiting.add(fail);
    try {
      return await Promise.race([call(nats), lost]);
    } catch (error) {
      throw natsError(error);
    } finally {
      this.#waiting.delete(fail);
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#nats?.connection.close();
    // An attempt to connect to a server that is silent ends by itself.
    const done = new AbortController();
    await Promise.race([this.#ended.then(() => done.abort()), timer(CLOSE_MS, done.signal)]);
  }

  async #open(signal: AbortSignal): Promise<Nats> {
    const until = [this.#opened.signal, this.#foreign.signal, this.#closed.signal, signal];
    if (this.#nats === undefined) await timer(WAIT_MS, AbortSignal.any(until));
    if (this.#nats !== undefined) return this.#nats;
    const { message } = natsError(this.#lost ?? new MigratableError('Unavailable', 'there is no connection'));
    throw new MigratableError('Unavailable', message, { cause: this.#lost });
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    let retryMs = LEAST_RETRY_MS;
    while (!signal.aborted) {
      try {
        const connection = await connectGuarded(this.#options);
        retryMs = LEAST_RETRY_MS;
        try {
          await this.#serve(connection);
        } finally {
          await connection.close();
        }
      } catch (error) {
        this.#failed(error);
        await timer(retryMs, signal);
        retryMs = Math.min(2 * retryMs, MOST_RETRY_MS);
      }
    }
  }

  #failed(error: unknown): void {
    this.#lost = error instanceof errors.TimeoutError ? silent(this.#options) : error;
    // To try again does not help at once; whatever else is lost may be back in a moment.
    if (!(error instanceof MigratableError)) return;
    this.#foreign.abort();
    this.#foreign = new AbortController();
  }

  /** Resolves when the connection is lost. */
  async #serve(connection: NatsConnection): Promise<void> {
    const options = { timeout: WAIT_MS, checkAPI: false };
    const { streams, consumers } = await jetstreamManager(connection, options);
    const client = jetstream(connection, options);
    this.#nats = { connection, streams, consumers, publish: client.publish.bind(client) };
    this.#opened.abort();
    if (this.#closed.signal.aborted) await connection.close();
    const error = await connection.closed();
    this.#opened = new AbortController();
    this.#nats = undefined;
    this.#lost = error instanceof Error ? error : undefined;
    for (const fail of this.#waiting) fail(new MigratableError('Unavailable', 'the connection is lost'));
  }
}

function silent({ servers }: ConnectionOptions): MigratableError {
  const text = `${String(servers)} did not respond within ${OPEN_MS / 1000} seconds`;
  return new MigratableError('Unavailable', text);
}
