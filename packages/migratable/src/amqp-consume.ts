import { type AsyncMessage, type Connection, ConsumerStatus } from 'rabbitmq-client';
import { messageOf } from './amqp-message.ts';
import type { ConsumeOptions, Delivery } from './messages.ts';

/** A message in hand, and how the broker hears what became of it. */
type InHand = { readonly message: AsyncMessage; readonly settle: (status: ConsumerStatus) => void };

/** Between the client, which hands messages over, and the loop, which takes one after the other. */
class Handover {
  #next: InHand | undefined;
  #isEnded = false;
  #wake: () => void = () => undefined;

  /** Resolves when it is settled. What comes when it has ended goes back. */
  give(message: AsyncMessage): Promise<ConsumerStatus> {
    return new Promise((settle) => {
      if (this.#isEnded) return settle(ConsumerStatus.REQUEUE);
      this.#next = { message, settle };
      this.#wake();
    });
  }

  /** Undefined when it has ended. */
  async take(): Promise<InHand | undefined> {
    while (this.#next === undefined && !this.#isEnded)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    const taken = this.#isEnded ? undefined : this.#next;
    if (taken !== undefined) this.#next = undefined;
    return taken;
  }

  end(): void {
    this.#isEnded = true;
    this.#next?.settle(ConsumerStatus.REQUEUE);
    this.#wake();
  }
}

/** One message after the other; the client opens connection and channel again where they are lost. */
export async function* consumeAmqp(
  connection: Connection,
  queue: string,
  { prefetch, exclusive = false, signal }: ConsumeOptions,
): AsyncGenerator<Delivery, void, undefined> {
  if (signal.aborted) return;
  const handover = new Handover();
  const consumer = connection.createConsumer(
    {
      queue,
      // It is somebody else's: a declaration with other arguments would be rejected.
      queueOptions: { passive: true },
      qos: { prefetchCount: prefetch },
      concurrency: 1,
      exclusive,
    },
    (message) => handover.give(message),
  );
  // The queue is missing, somebody else has it, the connection is lost: the client tries again.
  consumer.on('error', () => undefined);
  const end = (): void => handover.end();
  signal.addEventListener('abort', end, { once: true });
  try {
    for (let hand = await handover.take(); hand !== undefined; hand = await handover.take()) {
      let status = ConsumerStatus.REQUEUE;
      try {
        yield { message: messageOf(hand.message), ack: () => (status = ConsumerStatus.ACK) };
      } finally {
        hand.settle(status);
      }
    }
  } finally {
    handover.end();
    signal.removeEventListener('abort', end);
    await consumer.close();
  }
}
