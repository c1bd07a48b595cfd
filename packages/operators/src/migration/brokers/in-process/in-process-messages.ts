import {
  type ConsumeOptions,
  type Delivery,
  type Message,
  lockQueue,
  type Messages,
  MigratableError,
  queueArguments,
  type QueueOptions,
} from '@kubewright/migratable';
import { onAbort } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import type { BrokerCore } from './broker-core.ts';
import type { ChannelConsumer, InProcessChannel } from './in-process-channel.ts';
import { brokerPort } from './broker-port.ts';
import type { Entry, InProcessQueue } from './in-process-queue.ts';
import { messageOf } from './raw-message.ts';

type Handed = { readonly tag: number; readonly entry: Entry };

/** The in-process broker for an application. */
export class InProcessMessages implements Messages {
  readonly #broker: BrokerCore;

  constructor(broker: BrokerCore) {
    this.#broker = broker;
  }

  async declareQueue(name: string, options?: QueueOptions): Promise<void> {
    await this.#up();
    await permitted(brokerPort(this.#broker).declareQueue(name, options));
  }

  async send(queue: string, message: Message): Promise<'sent' | 'unroutable'> {
    await this.#up();
    return await permitted(brokerPort(this.#broker).send(queue, message));
  }

  async peek(queue: string): Promise<Message | undefined> {
    await this.#up();
    return await permitted(brokerPort(this.#broker).peek(queue));
  }

  async *consume(name: string, options: ConsumeOptions): AsyncGenerator<Delivery, void, undefined> {
    const { signal } = options;
    while (!signal.aborted) {
      const subscription = this.#broker.isDown
        ? undefined
        : this.#broker.attempt(() => this.#subscribe(name, options));
      if (subscription === undefined) await either(this.#broker.change(), signal);
      else yield* subscription;
    }
  }

  #queueOf(name: string, { declare }: ConsumeOptions): InProcessQueue | undefined {
    this.#broker.permit(name);
    return declare === undefined
      ? this.#broker.queues.get(name)
      : this.#broker.declareQueue(name, queueArguments(declare));
  }

  /** Undefined if there is no such queue, or another consumer has it exclusively, or nobody has rights to it. */
  #subscribe(name: string, options: ConsumeOptions): AsyncGenerator<Delivery, void, undefined> | undefined {
    const queue = undefinedIfForbidden(() => this.#queueOf(name, options));
    if (queue === undefined) return undefined;
    const channel = this.#broker.openChannel();
    const subscription = new Subscription(this.#broker, channel, queue, options);
    const isAlone = undefinedIfForbidden(() => {
      subscription.open();
      return true;
    });
    if (isAlone === undefined) {
      channel.close();
      return undefined;
    }
    return subscription.deliveries();
  }

  async #up(): Promise<void> {
    while (this.#broker.isDown) await this.#broker.change();
  }
}

/** As applications know it. */
async function permitted<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code !== 'Forbidden') throw error;
    throw new MigratableError('Forbidden', error.message, { cause: error });
  }
}

function undefinedIfForbidden<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof OperatorError && error.code === 'Forbidden') return undefined;
    throw error;
  }
}

/** Until the channel closes, the queue is gone or the signal is aborted. Each step is that of `consumeAmqp` in migratable. */
class Subscription {
  readonly #broker: BrokerCore;
  readonly #channel: InProcessChannel;
  readonly #queue: InProcessQueue;
  readonly #options: ConsumeOptions;
  readonly #handed: Handed[] = [];
  #consumer: ChannelConsumer | undefined;
  #isOneByOne = false;
  #wake: () => void = () => undefined;

  constructor(broker: BrokerCore, channel: InProcessChannel, queue: InProcessQueue, options: ConsumeOptions) {
    this.#broker = broker;
    this.#channel = channel;
    this.#queue = queue;
    this.#options = options;
  }

  /** Throws `Forbidden`. */
  open(): void {
    if (this.#options.exclusive === true) this.#beAlone();
    this.#consume();
  }

  async *deliveries(): AsyncGenerator<Delivery, void, undefined> {
    try {
      while (this.#goesOn) {
        const next = this.#handed.shift();
        if (next === undefined) await this.#news();
        else if (this.#options.exclusive === true && next.entry.returns > 1) yield* this.#oneByOne();
        else yield* delivery(this.#channel, next);
      }
    } finally {
      if (this.#isOneByOne && this.#channel.isOpen) this.#consume(this.#options.prefetch - 1);
      this.#giveBack();
      this.#channel.close();
    }
  }

  *#oneByOne(): Generator<Delivery, void, undefined> {
    this.#giveBack();
    this.#isOneByOne = true;
    for (let next = this.#get(); next !== undefined; next = this.#get()) {
      yield* delivery(this.#channel, next);
      if (next.entry.returns <= 1) break;
    }
    if (this.#goesOn) this.#consume();
  }

  #get(): Handed | undefined {
    return this.#goesOn ? this.#channel.get(this.#queue) : undefined;
  }

  #giveBack(): void {
    const channel = this.#channel;
    if (!channel.isOpen) return;
    if (this.#consumer !== undefined) channel.cancel(this.#consumer);
    const overtaking = this.#takeOvertaking();
    if (overtaking !== undefined) channel.requeue(overtaking - 1, 'nacked', true);
    channel.requeue(Number.POSITIVE_INFINITY, 'nacked', true);
    this.#handed.length = 0;
  }

  /** All that came back at the cancel, before what is in hand, and one more message. Returns the first tag. */
  #takeOvertaking(): number | undefined {
    const { inHand } = this.#channel;
    const most = this.#options.prefetch - inHand;
    if (inHand === 0 || most <= 0) return undefined;
    let first: number | undefined;
    for (let taken = 0; taken <= most; taken++) {
      const got = this.#channel.get(this.#queue);
      first ??= got?.tag;
      if (got?.entry.redelivered !== true) break;
    }
    return first;
  }

  #beAlone(): void {
    const lock = this.#broker.declareQueue(lockQueue(this.#queue.name), {}, { autoDelete: true });
    const none = (): void => undefined;
    this.#channel.consume(lock, { prefetch: 0, exclusive: true, noAck: false, deliver: none });
    if (this.#queue.consumers > 0)
      throw new OperatorError('Forbidden', `queue '${this.#queue.name}' has another consumer`);
  }

  #consume(prefetch = this.#options.prefetch): void {
    const { exclusive = false } = this.#options;
    const deliver = (tag: number, entry: Entry): void => {
      this.#handed.push({ tag, entry });
      this.#wake();
    };
    this.#isOneByOne = false;
    this.#consumer = this.#channel.consume(this.#queue, { prefetch, exclusive, noAck: false, deliver });
  }

  #news(): Promise<void> {
    const delivered = new Promise<void>((resolve) => (this.#wake = resolve));
    return either(Promise.race([delivered, this.#broker.change()]), this.#options.signal);
  }

  get #goesOn(): boolean {
    const { signal } = this.#options;
    return this.#channel.isOpen && !signal.aborted && this.#broker.queues.has(this.#queue.name);
  }
}

function* delivery(channel: InProcessChannel, { tag, entry }: Handed): Generator<Delivery, void, undefined> {
  let isAcked = false;
  try {
    yield { message: messageOf(entry.message), ack: () => void (isAcked = true) };
  } finally {
    if (isAcked) channel.ack(tag);
  }
}

/** Resolves with the first of them. */
function either(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, resolve);
    promise.then(() => {
      forget();
      resolve();
    }, reject);
  });
}
