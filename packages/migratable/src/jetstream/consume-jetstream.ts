import { MigratableError } from '../migratable-error.ts';
import type { ConsumeOptions, Delivery } from '../messages.ts';
import { randomName } from '../random-name.ts';
import { timer } from '../timer.ts';
import { respondAs } from './consumer-state.ts';
import { Cursor } from './cursor.ts';
import { declareQueue } from './declare-queue.ts';
import type { NatsLink } from './nats-link.ts';
import { type Item, QueueReader } from './queue-reader.ts';
import { ownSubject, recordSubject } from './record-subject.ts';
import { WakeUp } from './wake-up.ts';

/** Between two attempts where the queue is missing, or somebody else has it. */
const RETRY_MS = 200;
/** How long an ack may be unwritten while messages come in. */
const COMMIT_MS = 100;

/**
 * One message after the other. A log has one consumer at a time: another one waits, whether it asked to be alone or not, because the
 * position in a log is a single number.
 */
export async function* consumeJetStream(
  link: NatsLink,
  queue: string,
  options: ConsumeOptions,
): AsyncGenerator<Delivery, void, undefined> {
  const { signal } = options;
  const consumption = new Consumption(link, queue, options);
  try {
    while (!signal.aborted) {
      yield* consumption.deliveries();
      await timer(RETRY_MS, signal);
    }
  } finally {
    await consumption.end();
  }
}

class Consumption {
  readonly #link: NatsLink;
  readonly #queue: string;
  readonly #options: ConsumeOptions;
  readonly #consumer = randomName();
  readonly #cursor: Cursor;
  #committedAt = 0;
  /** Messages that were given out, and not acked: what comes after them is not acked either. */
  #unacked = 0;

  constructor(link: NatsLink, queue: string, options: ConsumeOptions) {
    this.#link = link;
    this.#queue = queue;
    this.#options = options;
    this.#cursor = new Cursor(link, queue, this.#consumer);
  }

  /** Until the queue is lost, or the connection, or `signal` is aborted. */
  async *deliveries(): AsyncGenerator<Delivery, void, undefined> {
    const { signal, declare } = this.#options;
    try {
      if (declare !== undefined) await declareQueue(this.#link, this.#queue, declare);
      const responder = await respondAs(this.#link, this.#consumer, signal);
      try {
        if (await this.#cursor.take(signal)) yield* this.#whileHeld();
      } finally {
        responder.unsubscribe();
      }
    } catch (error) {
      if (!(error instanceof MigratableError)) throw error;
    }
  }

  /** Writes what was acked, if there is a connection; what was not acked comes again. */
  async end(): Promise<void> {
    if (!this.#link.isOpen) return;
    try {
      await this.#cursor.release();
    } catch (error) {
      if (!(error instanceof MigratableError)) throw error;
    }
  }

  async *#whileHeld(): AsyncGenerator<Delivery, void, undefined> {
    const { signal, prefetch } = this.#options;
    const { log, position } = this.#cursor;
    this.#unacked = 0;
    const reader = new QueueReader(this.#queue, log, position);
    const subjects = [recordSubject(this.#queue), ownSubject(this.#queue)];
    if (log !== undefined) subjects.push(log.subject);
    const wakeUp = new WakeUp(this.#link, subjects, signal);
    try {
      while (!signal.aborted) {
        const [{ items, isIdle }, isHeld] = await Promise.all([
          this.#link.use((nats) => reader.next(nats, prefetch)),
          this.#cursor.isHeld(),
        ]);
        if (!isHeld) return;
        yield* this.#deliverAll(items);
        if (!(await this.#cursor.commit())) return;
        if (isIdle) await wakeUp.wait();
        else wakeUp.reset();
      }
    } finally {
      wakeUp.end();
    }
  }

  async *#deliverAll(items: readonly Item[]): AsyncGenerator<Delivery, void, undefined> {
    for (const item of items) {
      if (!(await this.#mayGoOn())) return;
      yield* this.#deliver(item);
    }
  }

  async #mayGoOn(): Promise<boolean> {
    if (this.#options.signal.aborted) return false;
    const { clock } = this.#link;
    if (clock.monotonic() - this.#committedAt < COMMIT_MS) return true;
    const isHeld = await this.#cursor.commit();
    // From its end on: where a write takes long, there would be one for each message.
    this.#committedAt = clock.monotonic();
    return isHeld;
  }

  *#deliver({ message, position }: Item): Generator<Delivery, void, undefined> {
    let isAcked = false;
    try {
      yield { message, ack: () => void (isAcked = true) };
    } finally {
      if (!isAcked) this.#unacked += 1;
      if (this.#unacked === 0) this.#cursor.ack(position);
    }
  }
}
