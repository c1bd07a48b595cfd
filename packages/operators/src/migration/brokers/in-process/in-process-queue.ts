import type { Clock, Json } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import type { RawMessage } from './raw-message.ts';

/** A message in its place: where it came in. */
export type Entry = {
  readonly position: number;
  readonly message: RawMessage;
  readonly redelivered: boolean;
};

export type QueueConsumer = {
  readonly exclusive: boolean;
  /** Whether it may be given another message. */
  readonly hasRoom: () => boolean;
  readonly deliver: (entry: Entry) => void;
  /** The queue was deleted. */
  readonly gone: () => void;
};

export type QueueArguments = { readonly [name: string]: Json };

/** Messages in the order in which they came, whoever had them in hand meanwhile. */
export class InProcessQueue {
  readonly name: string;
  readonly args: QueueArguments;
  readonly #clock: Clock | undefined;
  readonly #expired: () => void;
  #ready: Entry[] = [];
  #consumers: QueueConsumer[] = [];
  #last = 0;
  #unacked = 0;
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
    return this.#unacked;
  }

  get consumers(): number {
    return this.#consumers.length;
  }

  /** The messages that nobody has taken. */
  get messages(): readonly RawMessage[] {
    return this.#ready.map(({ message }) => message);
  }

  push(message: RawMessage): void {
    this.#last += 1;
    this.#ready.push({ position: this.#last, message, redelivered: false });
    this.#settle();
  }

  take(): Entry | undefined {
    const entry = this.#ready.shift();
    if (entry !== undefined) this.#unacked += 1;
    return entry;
  }

  /** Somebody has room again. */
  acked(): void {
    this.forget();
    this.#settle();
  }

  /** What was handed out never comes back. */
  forget(): void {
    this.#unacked -= 1;
  }

  /** They are handed out again before all that came after them. */
  putBack(entries: readonly Entry[]): void {
    if (entries.length === 0) return;
    this.#unacked -= entries.length;
    const back = entries.map((entry) => ({ ...entry, redelivered: true }));
    this.#ready = [...back, ...this.#ready].toSorted((a, b) => a.position - b.position);
    this.#settle();
  }

  /** Throws `Forbidden` where somebody is alone with it, or `consumer` wants to be. */
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

  /** Begins to wait anew for the time after which nobody wants it any more. */
  used(): void {
    this.#cancelExpiry();
    const ms = this.args['x-expires'];
    if (typeof ms !== 'number' || this.#consumers.length > 0) return;
    this.#cancelExpiry = this.#clock?.after(ms, this.#expired, { background: true }) ?? this.#cancelExpiry;
  }

  /** How many messages nobody had taken. */
  purge(): number {
    return this.#ready.splice(0).length;
  }

  deleted(): void {
    this.#cancelExpiry();
    this.#ready = [];
    for (const consumer of this.#consumers.splice(0)) consumer.gone();
  }

  /** Drops what is too much, then hands out what consumers have room for, in turn. */
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
