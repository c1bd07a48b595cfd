import type { Clock, Json } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import type { RawMessage } from './raw-message.ts';

/** A message with its position in the queue. */
export type Entry = {
  readonly position: number;
  readonly message: RawMessage;
  readonly redelivered: boolean;
  /** How often it came back in a way that counts towards the delivery limit. */
  readonly returns: number;
  /** How often it came back at all. */
  readonly acquired: number;
};

/** How messages go back: nacked, or because their client rejected them or is gone, which quorum queues count. */
export type Return = 'nacked' | 'failed';

export type QueueConsumer = {
  readonly exclusive: boolean;
  /** Whether its prefetch limit allows another message. */
  readonly hasRoom: () => boolean;
  readonly deliver: (entry: Entry) => void;
  /** The queue was deleted. */
  readonly gone: () => void;
};

export type QueueArguments = { readonly [name: string]: Json };
export type QueueType = 'classic' | 'quorum';

/** Of quorum queues in RabbitMQ 4. */
const DELIVERY_LIMIT = 20;

export type QueueLife = {
  /** The connection whose queue it is: nobody else may declare it, and it ends with that. */
  readonly owner?: object;
  /** It ends with its last consumer. */
  readonly autoDelete?: boolean;
};

export type QueueOptions = {
  readonly name: string;
  readonly life: QueueLife;
  readonly args: QueueArguments;
  readonly type: QueueType;
  /** Without one, it does not expire. */
  readonly clock: Clock | undefined;
  readonly expired: () => void;
};

/**
 * Messages keep their order, also when they are requeued. A quorum queue ignores that a consumer wants to be alone, and drops
 * what has come back more often than its limit.
 */
export class InProcessQueue {
  readonly name: string;
  readonly args: QueueArguments;
  readonly type: QueueType;
  readonly owner: object | undefined;
  readonly #autoDelete: boolean;
  readonly #clock: Clock | undefined;
  readonly #expired: () => void;
  #ready: Entry[] = [];
  #consumers: QueueConsumer[] = [];
  #last = 0;
  readonly #unacked = new Map<number, Entry>();
  #cancelExpiry: () => void = () => undefined;

  constructor({ name, args, type, life, clock, expired }: QueueOptions) {
    this.name = name;
    this.owner = life.owner;
    this.#autoDelete = life.autoDelete ?? false;
    this.args = args;
    this.type = type;
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
    this.#ready.push({ position: this.#last, message, redelivered: false, returns: 0, acquired: 0 });
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

  /** Requeued messages are delivered before all later ones; of a quorum queue, after those that were requeued before. */
  putBack(entries: readonly Entry[], how: Return): void {
    if (entries.length === 0) return;
    for (const entry of entries) this.forget(entry);
    const counted = this.type === 'quorum' && how === 'failed' ? 1 : 0;
    const back = entries.map((entry) => ({
      ...entry,
      redelivered: true,
      returns: entry.returns + counted,
      acquired: entry.acquired + 1,
    }));
    const kept = back.filter(({ returns }) => returns <= this.deliveryLimit);
    if (this.type === 'classic')
      this.#ready = [...kept, ...this.#ready].toSorted((a, b) => a.position - b.position);
    else {
      const fresh = this.#ready.findIndex(({ redelivered }) => !redelivered);
      this.#ready.splice(fresh < 0 ? this.#ready.length : fresh, 0, ...kept);
    }
    this.#settle();
  }

  /** Throws `Forbidden` if there is an exclusive consumer, or `consumer` wants to be exclusive and is not alone. */
  addConsumer(consumer: QueueConsumer): void {
    const isTaken = this.#consumers.some(({ exclusive }) => exclusive);
    const isShared = this.type === 'quorum';
    if (!isShared && (isTaken || (consumer.exclusive && this.#consumers.length > 0)))
      throw new OperatorError('Forbidden', `queue '${this.name}' in exclusive use`);
    this.#consumers.push(consumer);
    this.used();
    this.#settle();
  }

  removeConsumer(consumer: QueueConsumer): void {
    this.#consumers = this.#consumers.filter((one) => one !== consumer);
    this.used();
    if (this.#autoDelete && this.#consumers.length === 0) this.#expired();
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

  /** How often a message may come back; `Infinity` for all of a classic queue. */
  get deliveryLimit(): number {
    if (this.type === 'classic') return Infinity;
    const limit = this.args['x-delivery-limit'] ?? DELIVERY_LIMIT;
    return typeof limit === 'number' && limit >= 0 ? limit : Infinity;
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
