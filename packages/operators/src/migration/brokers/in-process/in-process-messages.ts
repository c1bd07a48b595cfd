import {
  type ConsumeOptions,
  type Delivery,
  type Message,
  type Messages,
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
    await brokerPort(this.#broker).declareQueue(name, options);
  }

  async send(queue: string, message: Message): Promise<'sent' | 'unroutable'> {
    await this.#up();
    return await brokerPort(this.#broker).send(queue, message);
  }

  async peek(queue: string): Promise<Message | undefined> {
    await this.#up();
    return await brokerPort(this.#broker).peek(queue);
  }

  async *consume(name: string, options: ConsumeOptions): AsyncGenerator<Delivery, void, undefined> {
    const { signal } = options;
    while (!signal.aborted) {
      const queue = this.#broker.isDown ? undefined : this.#queueOf(name, options);
      const subscription = queue === undefined ? undefined : this.#subscribe(queue, options);
      if (subscription === undefined) await either(this.#broker.change(), signal);
      else yield* subscription;
    }
  }

  #queueOf(name: string, { declare }: ConsumeOptions): InProcessQueue | undefined {
    return declare === undefined
      ? this.#broker.queues.get(name)
      : this.#broker.declareQueue(name, queueArguments(declare));
  }

  /** Undefined if another consumer has the queue exclusively. */
  #subscribe(
    queue: InProcessQueue,
    { prefetch, exclusive = false, signal }: ConsumeOptions,
  ): AsyncGenerator<Delivery, void, undefined> | undefined {
    const channel = this.#broker.openChannel();
    const handed: Handed[] = [];
    let wake: () => void = () => undefined;
    const deliver = (tag: number, entry: Entry): void => {
      handed.push({ tag, entry });
      wake();
    };
    try {
      channel.consume(queue, { prefetch, exclusive, noAck: false, deliver });
    } catch (error) {
      channel.close();
      if (error instanceof OperatorError && error.code === 'Forbidden') return undefined;
      throw error;
    }
    const news = (): Promise<void> =>
      either(Promise.race([new Promise<void>((resolve) => (wake = resolve)), this.#broker.change()]), signal);
    return deliveries(channel, handed, news, () => !signal.aborted && this.#broker.queues.has(queue.name));
  }

  async #up(): Promise<void> {
    while (this.#broker.isDown) await this.#broker.change();
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
