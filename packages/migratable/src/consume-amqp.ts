import type { AsyncMessage, Channel, SyncMessage } from 'rabbitmq-client';
import type { AmqpLink } from './amqp/amqp-link.ts';
import { beAlone } from './be-alone.ts';
import { messageOf } from './message-of.ts';
import type { ConsumeOptions, Delivery } from './messages.ts';
import { queueArguments } from './queue-arguments.ts';
import { laterTurn, timer } from './timer.ts';

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
  /** By their delivery tags: handed over, and not acked. */
  readonly #unacked = new Set<number>();
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
      const [next] = this.#handed;
      if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (this.#nacks && isAtRisk(next)) yield* this.#oneByOne();
      else {
        this.#handed.shift();
        yield* this.#deliver(next);
      }
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
    const channel = this.#channel;
    if (channel === undefined) return;
    const ends = [last([...this.#unacked])];
    if (this.#isOneByOne) await this.#consume(this.#options.prefetch - 1);
    await this.#awaitHanded(channel);
    const consumerTag = this.#consumerTag;
    this.#consumerTag = undefined;
    if (consumerTag !== undefined) await cancel(channel, consumerTag);
    const tags = [...this.#unacked, ...this.#handed.map(({ deliveryTag }) => deliveryTag)];
    if (tags.length > 0) {
      const overtaking = await this.#takeOvertaking(channel, tags.length);
      ends.push(last(tags), last(overtaking));
      await nackAll(channel, this.#queue, { ends, inHand: tags.length + overtaking.length });
    }
    this.#handed.length = 0;
    this.#unacked.clear();
  }

  /**
   * While messages wait, the queue has handed out as many as it may: what is on its way arrives. On a busy machine it would come back
   * so late after the cancel that nobody can look for it.
   */
  async #awaitHanded(channel: Channel): Promise<void> {
    const { prefetch } = this.#options;
    const isBehind = (): boolean => {
      const inHand = this.#unacked.size + this.#handed.length;
      return inHand > 0 && inHand < prefetch;
    };
    for (let look = 0; isBehind() && look < MOST_LOOKS; look++) {
      const { messageCount } = await channel.queueDeclare({ queue: this.#queue, passive: true });
      if (messageCount === 0) return;
    }
  }

  /**
   * What the queue was about to hand out when it heard of the cancel came back by itself, before what is in hand. Returns the delivery
   * tags of all that came back before, and of one more message.
   */
  async #takeOvertaking(channel: Channel, inHand: number): Promise<readonly number[]> {
    const queue = this.#queue;
    const most = this.#options.prefetch - inHand;
    // No more could be on its way.
    if (most <= 0) return [];
    // When it responds to this, it has come back.
    await channel.queueDeclare({ queue, passive: true });
    const taken: number[] = [];
    for (let isBack = true; isBack && taken.length <= most; ) {
      const got = await channel.basicGet({ queue });
      if (got === undefined) break;
      taken.push(got.deliveryTag);
      isBack = got.redelivered;
    }
    return taken;
  }

  *#deliver(taken: Taken): Generator<Delivery, void, undefined> {
    const { deliveryTag } = taken;
    let isAcked = false;
    this.#unacked.add(deliveryTag);
    try {
      yield { message: messageOf(taken), ack: () => void (isAcked = true) };
    } finally {
      if (isAcked) this.#unacked.delete(deliveryTag);
      // On a channel that is lost nothing can be acked: the message comes again.
      if (this.#isOpen && isAcked) this.#channel?.basicAck({ deliveryTag });
    }
  }
}

/**
 * Resolves when all messages of the consumer have been handed over: the client hands each one over in a later turn of the event
 * loop, and so those after the response that came before it.
 */
async function cancel(channel: Channel, consumerTag: string): Promise<void> {
  await channel.basicCancel({ consumerTag });
  await laterTurn();
}

/** Longer than a quorum queue takes to write what was nacked. */
const MOST_LOOKS = 1000;

/**
 * Gives back all `inHand` messages of a channel that has no consumer any more, and waits until they are there: a quorum queue
 * confirms nothing, and who consumes before would go on behind them. Nobody else takes any meanwhile. `ends`: the last delivery tags of
 * what was got one by one, was consumed, and was got again. One nack of all would give back the ones before the others.
 */
async function nackAll(
  channel: Channel,
  queue: string,
  { ends, inHand }: { readonly ends: readonly (number | undefined)[]; readonly inHand: number },
): Promise<void> {
  const { messageCount: ready } = await channel.queueDeclare({ queue, passive: true });
  for (const deliveryTag of new Set(ends))
    if (deliveryTag !== undefined) channel.basicNack({ deliveryTag, multiple: true, requeue: true });
  for (let look = 0; look < MOST_LOOKS; look++) {
    const { messageCount } = await channel.queueDeclare({ queue, passive: true });
    if (messageCount >= ready + inHand) return;
  }
}

const last = (tags: readonly number[]): number | undefined => tags.at(-1);

/** A quorum queue has counted that it came back more than once. */
const isAtRisk = ({ headers = {} }: Taken): boolean => Number(headers['x-delivery-count'] ?? 0) > 1;
