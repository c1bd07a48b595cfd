import {
  type ConsumeOptions,
  type Delivery,
  type Message,
  type Messages,
  MigratableError,
  queueArguments,
  type QueueOptions,
} from '@kubewright/migratable';
import { onAbort } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import type { BrokerCore } from './broker-core.ts';
import type { InProcessChannel } from './in-process-channel.ts';
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
      const subscription = this.#broker.isDown ? undefined : this.#subscribe(name, options);
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
    const { prefetch, exclusive = false, signal } = options;
    const queue = undefinedIfForbidden(() => this.#queueOf(name, options));
    if (queue === undefined) return undefined;
    const channel = this.#broker.openChannel();
    const handed: Handed[] = [];
    let wake: () => void = () => undefined;
    const deliver = (tag: number, entry: Entry): void => {
      handed.push({ tag, entry });
      wake();
    };
    const isAlone = undefinedIfForbidden(() => {
      channel.consume(queue, { prefetch, exclusive, noAck: false, deliver });
      return true;
    });
    if (isAlone === undefined) {
      channel.close();
      return undefined;
    }
    const news = (): Promise<void> =>
      either(Promise.race([new Promise<void>((resolve) => (wake = resolve)), this.#broker.change()]), signal);
    return deliveries(channel, handed, news, () => !signal.aborted && this.#broker.queues.has(queue.name));
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

/** Until the channel closes or the signal is aborted. */
async function* deliveries(
  channel: InProcessChannel,
  handed: Handed[],
  news: () => Promise<void>,
  goesOn: () => boolean,
): AsyncGenerator<Delivery, void, undefined> {
  try {
    while (channel.isOpen && goesOn()) {
      const next = handed.shift();
      if (next === undefined) {
        await news();
        continue;
      }
      yield* delivery(channel, next);
    }
  } finally {
    channel.close();
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
