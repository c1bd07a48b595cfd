import type { AsyncMessage, Channel } from 'rabbitmq-client';
import type { AmqpLink } from './amqp/amqp-link.ts';
import { messageOf } from './message-of.ts';
import type { ConsumeOptions, Delivery } from './messages.ts';
import { queueArguments } from './queue-arguments.ts';
import { timer } from './timer.ts';

/** Between two attempts where the queue is missing, or somebody else has it. */
const RETRY_MS = 200;

/** One message after the other; connection, channel and consumer are made again where they are lost. */
export async function* consumeAmqp(
  link: AmqpLink,
  queue: string,
  options: ConsumeOptions,
): AsyncGenerator<Delivery, void, undefined> {
  const { signal } = options;
  while (!signal.aborted) {
    const subscription = new Subscription(link, signal);
    try {
      await subscription.open(queue, options);
      yield* subscription.deliveries();
    } finally {
      await subscription.close();
    }
    await timer(RETRY_MS, signal);
  }
}

/** A consumer on a channel of its own, until either is lost. */
class Subscription {
  readonly #link: AmqpLink;
  readonly #signal: AbortSignal;
  readonly #handed: AsyncMessage[] = [];
  #channel: Channel | undefined;
  #isOpen = false;
  #wake: () => void = () => undefined;
  readonly #aborted = (): void => this.#wake();

  constructor(link: AmqpLink, signal: AbortSignal) {
    this.#link = link;
    this.#signal = signal;
    signal.addEventListener('abort', this.#aborted, { once: true });
  }

  /** Leaves it closed where the queue is missing, or somebody else's alone, or the broker is away. */
  async open(queue: string, options: ConsumeOptions): Promise<void> {
    try {
      const channel = await this.#link.acquire();
      this.#channel = channel;
      channel.on('error', () => this.#end());
      channel.on('close', () => this.#end());
      channel.on('basic.cancel', () => this.#end());
      await this.#consume(channel, queue, options);
    } catch {
      this.#end();
    }
  }

  async #consume(
    channel: Channel,
    queue: string,
    { prefetch, exclusive = false, declare }: ConsumeOptions,
  ): Promise<void> {
    if (declare !== undefined)
      await channel.queueDeclare({ queue, durable: true, arguments: queueArguments(declare) });
    await channel.basicQos({ prefetchCount: prefetch });
    this.#isOpen = true;
    await channel.basicConsume({ queue, exclusive }, (message) => {
      // No broker does that, and no memory is large enough for one that does.
      if (prefetch > 0 && this.#handed.length >= prefetch) return this.#end();
      this.#handed.push(message);
      this.#wake();
    });
  }

  #end(): void {
    this.#isOpen = false;
    this.#wake();
  }

  async *deliveries(): AsyncGenerator<Delivery, void, undefined> {
    while (this.#isOpen && !this.#signal.aborted) {
      const next = this.#handed.shift();
      if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else yield* this.#deliver(next);
    }
  }

  /** Closes the channel, without cancelling first: all that is in hand goes back before anybody else can consume. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#signal.removeEventListener('abort', this.#aborted);
    await this.#channel?.close();
  }

  *#deliver(taken: AsyncMessage): Generator<Delivery, void, undefined> {
    const { deliveryTag } = taken;
    let isAcked = false;
    try {
      yield { message: messageOf(taken), ack: () => void (isAcked = true) };
    } finally {
      // On a channel that is lost nothing can be acked: the message comes again.
      if (this.#isOpen && isAcked) this.#channel?.basicAck({ deliveryTag });
    }
  }
}
