import type { Channel, Connection } from 'rabbitmq-client';
import { amqpError } from '../amqp-error.ts';
import { MigratableError } from '../migratable-error.ts';
import { timer } from '../timer.ts';
import { boundedRequests } from './bounded-requests.ts';
import { clientOptions, type AmqpOptions } from './client-options.ts';
import { guardedConnection } from './guarded-connection.ts';
import { nacksInPlace, serverVersion } from './server-version.ts';

/** How long a request waits for the response of a broker that is connected. */
const RESPONSE_MS = 30_000;
/** How long a broker may take to say goodbye. */
const CLOSE_MS = 2000;
/** Of messages that are under way: the largest that RabbitMQ 3 takes by default. */
const MOST_BYTES = 128 * 1024 * 1024;

/** A connection of the client, which is opened at once, and again when it is lost; and how long is waited for what. */
export class AmqpLink {
  readonly #address: string;
  readonly #connection: Connection;
  readonly #reset: (error: Error) => void;
  readonly #responseMs: number;
  /** Ends calls that wait for a connection, to what is no broker. */
  readonly #waiting = new Set<(error: unknown) => void>();
  #lost: unknown;
  #version: string | undefined;
  #closed: Promise<void> | undefined;

  /** Throws `Malformed` for a URL that is none. */
  constructor(options: AmqpOptions) {
    const { client, address } = clientOptions(options);
    this.#address = address;
    this.#responseMs = options.responseMs ?? RESPONSE_MS;
    const onLost = (error: Error): void => this.#onLost(error);
    const { frameMax } = client;
    const onStart = (payload: Buffer): void => void (this.#version = serverVersion(payload));
    const guarded = { address, frameMax, mostBytes: options.mostBytes ?? MOST_BYTES, onLost, onStart };
    const { connection, reset } = guardedConnection(client, guarded);
    connection.on('error', onLost);
    connection.on('connection', () => (this.#lost = undefined));
    [this.#connection, this.#reset] = [connection, reset];
  }

  /** Of the broker of the last connection; undefined before the first one, and where the broker does not say it. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Of the broker of the last connection, see {@link nacksInPlace}. */
  get nacksInPlace(): boolean {
    return nacksInPlace(this.#version);
  }

  /**
   * A channel; waits for a connection that is lost. Rejects with `Unavailable`, and says why. A connection whose broker does
   * not respond to a request in time is ended: what waits for it rejects, here and elsewhere.
   */
  async acquire(): Promise<Channel> {
    const channel = this.#connection.acquire({ emitErrorsFromChannel: true });
    let fail: (error: unknown) => void = () => undefined;
    const foreign = new Promise<never>((_resolve, reject) => (fail = reject));
    this.#waiting.add(fail);
    try {
      const opened = await this.#responded(Promise.race([channel, foreign]));
      return boundedRequests(opened, (response) => this.#responded(response));
    } catch (error) {
      // Nobody has it, should it still come.
      channel.then((late) => late.close()).catch(() => undefined);
      throw amqpError(this.#lost ?? error, 'Unavailable');
    } finally {
      this.#waiting.delete(fail);
    }
  }

  /** What is not acked goes back. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #responded<T>(response: Promise<T>): Promise<T> {
    const done = new AbortController();
    const seconds = this.#responseMs / 1000;
    const late = (): void =>
      this.#reset(
        new MigratableError('Unavailable', `${this.#address} did not respond within ${seconds} seconds`),
      );
    timer(this.#responseMs, done.signal).then(() => done.signal.aborted || late(), late);
    try {
      return await response;
    } finally {
      done.abort();
    }
  }

  async #close(): Promise<void> {
    const closed = new AbortController();
    try {
      await Promise.race([this.#connection.close(), timer(CLOSE_MS, closed.signal)]);
    } finally {
      closed.abort();
      this.#connection.unsafeDestroy();
    }
  }

  #onLost(error: Error): void {
    this.#lost = error;
    // To try again does not help at once; whatever else is lost may be back in a moment.
    if (error instanceof MigratableError) for (const fail of this.#waiting) fail(error);
  }
}
