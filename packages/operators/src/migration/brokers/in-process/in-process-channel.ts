import type { Entry, InProcessQueue, QueueConsumer } from './in-process-queue.ts';

export type ChannelConsume = {
  /** 0: as many as there are. */
  readonly prefetch: number;
  readonly exclusive: boolean;
  /** Nobody will ack: messages are gone when they are handed out, with the tag 0. */
  readonly noAck: boolean;
  readonly deliver: (tag: number, entry: Entry) => void;
  readonly gone?: () => void;
};

/** How many messages it has in hand. */
type Subscription = QueueConsumer & { inHand: number };
type InHand = { readonly queue: InProcessQueue; readonly entry: Entry; readonly consumer?: Subscription };

/** What one user has in hand. When it closes, all of that is back in its place. */
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

  /** Throws `Forbidden` where the queue is somebody else's alone. */
  consume(queue: InProcessQueue, options: ChannelConsume): QueueConsumer {
    const { prefetch, exclusive, noAck, deliver, gone = () => undefined } = options;
    const consumer: Subscription = {
      inHand: 0,
      gone,
      exclusive,
      hasRoom: () => prefetch === 0 || consumer.inHand < prefetch,
      deliver: (entry) => {
        if (noAck) {
          queue.forget();
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

  /** False: there is no such tag. `multiple`: all up to it. */
  ack(tag: number, multiple = false): boolean {
    const taken = this.#release(tag, multiple);
    for (const { queue } of taken) queue.acked();
    return taken.length > 0;
  }

  requeue(tag: number, multiple = false): boolean {
    const taken = this.#release(tag, multiple);
    for (const queue of new Set(taken.map((one) => one.queue)))
      queue.putBack(taken.filter((one) => one.queue === queue).map(({ entry }) => entry));
    return taken.length > 0;
  }

  /** What it has in hand of that consumer stays in hand. */
  cancel(consumer: QueueConsumer): void {
    this.#consumers.get(consumer)?.removeConsumer(consumer);
    this.#consumers.delete(consumer);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const consumer of this.#consumers.keys()) this.cancel(consumer);
    this.requeue(Number.POSITIVE_INFINITY, true);
    this.#closed();
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
