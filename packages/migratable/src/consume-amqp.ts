import type { AsyncMessage, Channel, SyncMessage } from 'rabbitmq-client';
import type { AmqpLink } from './amqp/amqp-link.ts';
import { beAlone } from './be-alone.ts';
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
    const subscription = new Subscription(link, queue, options);
    try {
      await subscription.open();
      yield* subscription.deliveries();
    } finally {
      await subscription.close();
    }
    await timer(RETRY_MS, signal);
  }
}

type Taken = AsyncMessage | SyncMessage;

/** On a channel of its own, until either is lost. */
class Subscription {
  readonly #link: AmqpLink;
  readonly #queue: string;
  readonly #options: ConsumeOptions;
  readonly #handed: Taken[] = [];
  #channel: Channel | undefined;
  #consumerTag: string | undefined;
  #isOpen = false;
  #isOneByOne = false;
  /** Handed over, and not acked. */
  #unacked = 0;
  #wake: () => void = () => undefined;
  readonly #aborted = (): void => this.#wake();

  constructor(link: AmqpLink, queue: string, options: ConsumeOptions) {
    this.#link = link;
    this.#queue = queue;
    this.#options = options;
    options.signal.addEventListener('abort', this.#aborted, { once: true });
  }

  /** Leaves it closed where the queue is missing, or somebody else's alone, or the broker is away. */
  async open(): Promise<void> {
    const { exclusive, declare } = this.#options;
    const queue = this.#queue;
    await this.#attempt(async () => {
      const channel = await this.#link.acquire();
      this.#channel = channel;
      this.#isOpen = true;
      channel.on('error', () => this.#end());
      channel.on('close', () => this.#end());
      channel.on('basic.cancel', () => this.#end());
      if (declare !== undefined)
        await channel.queueDeclare({ queue, durable: true, arguments: queueArguments(declare) });
      if (exclusive === true) await beAlone(channel, queue);
    });
  }

  async *deliveries(): AsyncGenerator<Delivery, void, undefined> {
    if (this.#goesOn) await this.#attempt(() => this.#consume());
    while (this.#goesOn) {
      const next = this.#handed.shift();
      if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (this.#nacks && isAtRisk(next)) yield* this.#oneByOne();
      else yield* this.#deliver(next);
    }
  }

  /**
   * Where a process was lost more than once, each message that it had in hand comes nearer to the delivery limit of a quorum queue:
   * from here on only the one that is applied is in hand. What is taken is applied, whatever has been aborted meanwhile.
   */
  async *#oneByOne(): AsyncGenerator<Delivery, void, undefined> {
    await this.#attempt(() => this.#giveBack());
    this.#isOneByOne = true;
    for (let next = await this.#get(); next !== undefined; next = await this.#get()) {
      yield* this.#deliver(next);
      if (!isAtRisk(next)) break;
    }
    if (this.#goesOn) await this.#attempt(() => this.#consume());
  }

  async #get(): Promise<SyncMessage | undefined> {
    let got: SyncMessage | undefined;
    if (this.#goesOn)
      await this.#attempt(async () => (got = await this.#channel?.basicGet({ queue: this.#queue })));
    return got;
  }

  async #consume(prefetch = this.#options.prefetch): Promise<void> {
    const { exclusive = false } = this.#options;
    await this.#channel?.basicQos({ prefetchCount: prefetch });
    this.#isOneByOne = false;
    const consumer = await this.#channel?.basicConsume({ queue: this.#queue, exclusive }, (message) => {
      // No broker does that, and no memory is large enough for one that does.
      if (prefetch > 0 && this.#handed.length >= prefetch) return this.#end();
      this.#handed.push(message);
      this.#wake();
    });
    this.#consumerTag = consumer?.consumerTag;
  }

  /** Else what is in hand goes back as the channel is closed, in its order. */
  get #nacks(): boolean {
    return this.#options.exclusive === true && this.#link.nacksInPlace;
  }

  get #goesOn(): boolean {
    return this.#isOpen && !this.#options.signal.aborted;
  }

  async #attempt(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch {
      this.#end();
    }
  }

  #end(): void {
    this.#isOpen = false;
    this.#wake();
  }

  /** All that is in hand goes back before the channel closes, and anybody else can be alone on the queue. */
  async close(): Promise<void> {
    this.#options.signal.removeEventListener('abort', this.#aborted);
    const isLost = !this.#isOpen;
    this.#isOpen = false;
    if (!isLost && this.#nacks) await this.#attempt(() => this.#giveBack());
    await this.#channel?.close();
  }

  /**
   * A quorum queue counts what goes back because its channel is closed, and drops it when that was too often. It puts what comes back
   * behind all that came back before: so that the order stays, all of that is taken first.
   */
  async #giveBack(): Promise<void> {
    if (this.#isOneByOne) await this.#consume(this.#options.prefetch - 1);
    const consumerTag = this.#consumerTag;
    this.#consumerTag = undefined;
    if (consumerTag !== undefined) await this.#channel?.basicCancel({ consumerTag });
    if (this.#channel !== undefined)
      await nackAll(this.#channel, this.#queue, this.#handed.length + this.#unacked);
    this.#handed.length = 0;
    this.#unacked = 0;
  }

  *#deliver(taken: Taken): Generator<Delivery, void, undefined> {
    const { deliveryTag } = taken;
    let isAcked = false;
    this.#unacked += 1;
    try {
      yield { message: messageOf(taken), ack: () => void (isAcked = true) };
    } finally {
      if (isAcked) this.#unacked -= 1;
      // On a channel that is lost nothing can be acked: the message comes again.
      if (this.#isOpen && isAcked) this.#channel?.basicAck({ deliveryTag });
    }
  }
}

/** Longer than a quorum queue takes to write what was nacked. */
const MOST_LOOKS = 1000;

/**
 * Gives back all `inHand` messages of a channel that has no consumer any more, and waits until they are there: a quorum queue
 * confirms nothing, and who consumes before would go on behind them. Nobody else takes any meanwhile.
 */
async function nackAll(channel: Channel, queue: string, inHand: number): Promise<void> {
  if (inHand === 0) return;
  const { messageCount: ready } = await channel.queueDeclare({ queue, passive: true });
  channel.basicNack({ deliveryTag: 0, multiple: true, requeue: true });
  for (let look = 0; look < MOST_LOOKS; look++) {
    const { messageCount } = await channel.queueDeclare({ queue, passive: true });
    if (messageCount >= ready + inHand) return;
  }
}

/** A quorum queue has counted that it came back more than once. */
const isAtRisk = ({ headers = {} }: Taken): boolean => Number(headers['x-delivery-count'] ?? 0) > 1;
