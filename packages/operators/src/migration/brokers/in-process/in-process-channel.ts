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

/** The number of unacked messages. */
type Subscription = QueueConsumer & { inHand: number };
type InHand = { readonly queue: InProcessQueue; readonly entry: Entry; readonly consumer?: Subscription };

/** The unacked messages of one client. When it closes, they return to their places. */
export class InProcessChannel {
  readonly #closed: () => void;
  readonly #unacked = new Map<number, InHand>();
  readonly #consumers = new Map<QueueConsumer, InProcessQueue>();
  #tag = 0;
  #isOpen = true;

  constructor(closed: () => void) {
    this.#closed = closed;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Throws `Forbidden` if the queue has an exclusive consumer. */
  consume(queue: InProcessQueue, options: ChannelConsume): QueueConsumer {
    const { prefetch, exclusive, noAck, deliver, gone = () => undefined } = options;
    const consumer: Subscription = {
      inHand: 0,
      gone,
      exclusive,
      hasRoom: () => prefetch === 0 || consumer.inHand < prefetch,
      deliver: (entry) => {
        if (noAck) {
          queue.forget(entry);
          return deliver(0, entry);
        }
        consumer.inHand += 1;
        deliver(this.#hold({ queue, entry, consumer }), entry);
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
    for (const queue of new Set(taken.map((one) => one.queue)))
      queue.putBack(
        taken.filter((one) => one.queue === queue).map(({ entry }) => entry),
        how,
      );
    return taken.length > 0;
  }

  /** Its unacked messages stay unacked. */
  cancel(consumer: QueueConsumer): void {
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

  /** Closes it; what is in hand goes back in a way that does not count. */
  giveBack(): void {
    if (!this.#isOpen) return;
    for (const consumer of this.#consumers.keys()) this.cancel(consumer);
    this.requeue(Number.POSITIVE_INFINITY, 'nacked', true);
    this.close();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#drop();
    this.#closed();
  }

  #drop(): void {
    for (const consumer of this.#consumers.keys()) this.cancel(consumer);
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
