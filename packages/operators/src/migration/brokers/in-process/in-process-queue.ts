import type { Clock, Json } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import type { RawMessage } from './raw-message.ts';

/** A message with its position in the queue. */
export type Entry = {
  readonly position: number;
  readonly message: RawMessage;
  readonly redelivered: boolean;
};

export type QueueConsumer = {
  readonly exclusive: boolean;
  /** Whether its prefetch limit allows another message. */
  readonly hasRoom: () => boolean;
  readonly deliver: (entry: Entry) => void;
  /** The queue was deleted. */
  readonly gone: () => void;
};

export type QueueArguments = { readonly [name: string]: Json };

/** Messages keep their order, also when they are requeued. */
export class InProcessQueue {
  readonly name: string;
  readonly args: QueueArguments;
  readonly #clock: Clock | undefined;
  readonly #expired: () => void;
  #ready: Entry[] = [];
  #consumers: QueueConsumer[] = [];
  #last = 0;
  readonly #unacked = new Map<number, Entry>();
  #cancelExpiry: () => void = () => undefined;

  constructor(name: string, args: QueueArguments, clock: Clock | undefined, expired: () => void) {
    this.name = name;
    this.args = args;
    this.#clock = clock;
    this.#expired = expired;
    this.used();
  }

  get ready(): number {
    return this.#ready.length;
  }

  get unacked(): number {
    return this.#unacked.size;
  }

  get consumers(): number {
    return this.#consumers.length;
  }

  /** The number of ready messages. */
  get messages(): readonly RawMessage[] {
    return this.#ready.map(({ message }) => message);
  }

  /** The oldest message that is ready; if none is, the oldest that a client has in hand: it is still in the queue. */
  get head(): RawMessage | undefined {
    const [inHand] = [...this.#unacked.values()].toSorted((a, b) => a.position - b.position);
    return (this.#ready[0] ?? inHand)?.message;
  }

  push(message: RawMessage): void {
    this.#last += 1;
    this.#ready.push({ position: this.#last, message, redelivered: false });
    this.#settle();
  }

  take(): Entry | undefined {
    const entry = this.#ready.shift();
    if (entry !== undefined) this.#unacked.set(entry.position, entry);
    return entry;
  }

  /** A consumer's prefetch limit allows more messages. */
  acked(entry: Entry): void {
    this.forget(entry);
    this.#settle();
  }

  /** Acked messages never come back. */
  forget({ position }: Entry): void {
    this.#unacked.delete(position);
  }

  /** Requeued messages are delivered before all later ones. */
  putBack(entries: readonly Entry[]): void {
    if (entries.length === 0) return;
    for (const entry of entries) this.forget(entry);
    const back = entries.map((entry) => ({ ...entry, redelivered: true }));
    this.#ready = [...back, ...this.#ready].toSorted((a, b) => a.position - b.position);
    this.#settle();
  }

  /** Throws `Forbidden` if there is an exclusive consumer, or `consumer` wants to be exclusive and is not alone. */
  addConsumer(consumer: QueueConsumer): void {
    const isTaken = this.#consumers.some(({ exclusive }) => exclusive);
    if (isTaken || (consumer.exclusive && this.#consumers.length > 0))
      throw new OperatorError('Forbidden', `queue '${this.name}' in exclusive use`);
    this.#consumers.push(consumer);
    this.used();
    this.#settle();
  }

  removeConsumer(consumer: QueueConsumer): void {
    this.#consumers = this.#consumers.filter((one) => one !== consumer);
    this.used();
  }

  /** Restarts the expiry of an unused queue. */
  used(): void {
    this.#cancelExpiry();
    const ms = this.args['x-expires'];
    if (typeof ms !== 'number' || this.#consumers.length > 0) return;
    this.#cancelExpiry = this.#clock?.after(ms, this.#expired, { background: true }) ?? this.#cancelExpiry;
  }

  /** Returns how many messages were ready. */
  purge(): number {
    return this.#ready.splice(0).length;
  }

  deleted(): void {
    this.#cancelExpiry();
    this.#ready = [];
    for (const consumer of this.#consumers.splice(0)) consumer.gone();
  }

  /** Drops messages beyond the maximum length, then delivers to consumers in turn. */
  #settle(): void {
    const most = this.args['x-max-length'];
    if (typeof most === 'number' && this.#ready.length > most)
      this.#ready.splice(0, this.#ready.length - most);
    for (let consumer = this.#free(); consumer !== undefined; consumer = this.#free()) {
      const entry = this.take();
      if (entry === undefined) return;
      this.#consumers = [...this.#consumers.filter((one) => one !== consumer), consumer];
      consumer.deliver(entry);
    }
  }

  #free(): QueueConsumer | undefined {
    return this.#ready.length === 0 ? undefined : this.#consumers.find((consumer) => consumer.hasRoom());
  }
}
