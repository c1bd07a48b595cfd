/** What a message carries. */
export type Message = {
  /** A JSON value with content type `application/json`, a string with `text/plain`, else bytes. */
  readonly body: unknown;
  /** Strings, numbers and booleans; others are left out. */
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
};

export type Delivery = {
  readonly message: Message;
  /** It was applied, and does not come again. Ask for the next one only then. */
  readonly ack: () => void;
};

/** Of a durable classic queue. */
export type QueueOptions = {
  /** Beyond this the oldest message is dropped. */
  readonly maxLength?: number;
  /** The queue is deleted when nobody has used it for so long: no consumer, no declaration, no get. */
  readonly expiresMs?: number;
};

export type ConsumeOptions = {
  /** How many messages the broker hands out ahead of the acks. */
  readonly prefetch: number;
  /** No other consumer beside this one: where there is one, this one waits. */
  readonly exclusive?: boolean;
  /** Where the queue is missing it is declared, with these options. Default: it is waited for. */
  readonly declare?: QueueOptions;
  /** Ends it after the message in hand. */
  readonly signal: AbortSignal;
};

/** The messages of a broker, as an application needs them: `connectAmqp` of RabbitMQ, `connectJetStream` of NATS. */
export type Messages = {
  /** It exists with the same options: nothing happens. With others it rejects, `Rejected`. */
  declareQueue(name: string, options?: QueueOptions): Promise<void>;
  /** Straight into a queue: persistent, and confirmed by the broker when this resolves. */
  send(queue: string, message: Message): Promise<'sent' | 'unroutable'>;
  /** The message at the head of a queue, which stays there, whoever looks beside; undefined where there is none, or no such queue. */
  peek(queue: string): Promise<Message | undefined>;
  /**
   * One message after the other. A connection that is lost is opened again, and messages that were not acked come again.
   * What is not acked stays in hand: when the iteration ends (`signal`, `break`, an error) it is back in the queue, in its order.
   */
  consume(queue: string, options: ConsumeOptions): AsyncIterable<Delivery>;
};
