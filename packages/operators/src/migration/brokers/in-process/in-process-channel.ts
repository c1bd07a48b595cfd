import type { Entry, InProcessQueue, QueueConsumer, Return } from './in-process-queue.ts';

export type ChannelConsume = {
  /** 0: no limit. */
  readonly prefetch: number;
  readonly exclusive: boolean;
  /** No acks: messages are removed on delivery, with tag 0. */
  readonly noAck: boolean;
  readonly deliver: (tag: number, entry: Entry) => void;
  readonly gone?: () => void;
};

/** The number of unacked messages, and the tags of those that are on their way to the client. */
export type ChannelConsumer = QueueConsumer & { inHand: number; readonly onTheWay: Set<number> };
type InHand = { readonly queue: InProcessQueue; readonly entry: Entry; readonly consumer?: ChannelConsumer };

/**
 * The unacked messages of one client. When it closes, they return to their places. A quorum queue hands out messages a little later
 * than it takes them from its head: who cancels at once does not get them.
 */
export class InProcessChannel {
  readonly #closed: () => void;
  readonly #unacked = new Map<number, InHand>();
  readonly #consumers = new Map<ChannelConsumer, InProcessQueue>();
  #tag = 0;
  #isOpen = true;

  constructor(closed: () => void) {
    this.#closed = closed;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Throws `Forbidden` if the queue has an exclusive consumer. */
  consume(queue: InProcessQueue, options: ChannelConsume): ChannelConsumer {
    const { prefetch, exclusive, noAck, deliver, gone = () => undefined } = options;
    const consumer: ChannelConsumer = {
      inHand: 0,
      onTheWay: new Set(),
      gone,
      exclusive,
      hasRoom: () => prefetch === 0 || consumer.inHand < prefetch,
      deliver: (entry) => {
        if (noAck) {
          queue.forget(entry);
          return deliver(0, entry);
        }
        consumer.inHand += 1;
        const tag = this.#hold({ queue, entry, consumer });
        if (queue.type === 'classic') return deliver(tag, entry);
        consumer.onTheWay.add(tag);
        queueMicrotask(() => {
          if (consumer.onTheWay.delete(tag) && this.#isOpen) deliver(tag, entry);
        });
      },
    };
    queue.addConsumer(consumer);
    this.#consumers.set(consumer, queue);
    return consumer;
  }

  /** Takes the message at the head. */
  get(queue: InProcessQueue): { readonly tag: number; readonly entry: Entry } | undefined {
    queue.used();
    const entry = queue.take();
    return entry === undefined ? undefined : { tag: this.#hold({ queue, entry }), entry };
  }

  /** Returns false for an unknown tag, or on a closed channel. `multiple`: all up to the tag. */
  ack(tag: number, multiple = false): boolean {
    if (!this.#isOpen) return false;
    const taken = this.#release(tag, multiple);
    for (const { queue, entry } of taken) queue.acked(entry);
    return taken.length > 0;
  }

  requeue(tag: number, how: Return, multiple = false): boolean {
    if (!this.#isOpen) return false;
    return this.#putBack(tag, how, multiple);
  }

  #putBack(tag: number, how: Return, multiple: boolean): boolean {
    const taken = this.#release(tag, multiple);
    this.#returned(taken, how);
    return taken.length > 0;
  }

  #returned(taken: readonly InHand[], how: Return): void {
    for (const queue of new Set(taken.map((one) => one.queue)))
      queue.putBack(
        taken.filter((one) => one.queue === queue).map(({ entry }) => entry),
        how,
      );
  }

  /** What its client has in hand stays there. What a quorum queue was about to hand out comes back by itself, before that. */
  cancel(consumer: ChannelConsumer): void {
    this.#end(consumer);
    const back = [...consumer.onTheWay].flatMap((tag) => this.#release(tag, false));
    consumer.onTheWay.clear();
    this.#returned(back, 'nacked');
  }

  #end(consumer: ChannelConsumer): void {
    this.#consumers.get(consumer)?.removeConsumer(consumer);
    this.#consumers.delete(consumer);
  }

  /**
   * For its client it is closed. The broker does not notice that until what this returns is called: consumers and messages in
   * hand stay.
   */
  halve(): () => void {
    if (!this.#isOpen) return () => undefined;
    this.#isOpen = false;
    this.#closed();
    return () => this.#drop();
  }

  get inHand(): number {
    return this.#unacked.size;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#drop();
    this.#closed();
  }

  #drop(): void {
    for (const consumer of this.#consumers.keys()) this.#end(consumer);
    this.#putBack(Number.POSITIVE_INFINITY, 'failed', true);
  }

  #hold(inHand: InHand): number {
    this.#tag += 1;
    this.#unacked.set(this.#tag, inHand);
    return this.#tag;
  }

  #release(tag: number, multiple: boolean): readonly InHand[] {
    const tags = multiple ? [...this.#unacked.keys()].filter((one) => one <= tag) : [tag];
    return tags.flatMap((one) => {
      const inHand = this.#unacked.get(one);
      this.#unacked.delete(one);
      if (inHand?.consumer !== undefined) inHand.consumer.inHand -= 1;
      return inHand ?? [];
    });
  }
}
