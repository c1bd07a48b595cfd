/** The broker of a shop: a server of its own, and what applications and producers need of it. */
export type ShopBroker = {
  readonly url: string;
  /** As the server says it. */
  version(): Promise<string>;
  /** What the queue of an application gets: under which its messages are published. */
  readonly routingKey: (queue: string) => string;
  /** The queue of an application, and one from which its consumer is told to end. */
  declare(queue: string): Promise<void>;
  remove(queue: string): Promise<void>;
  publisher(queue: string): Publisher;
  /** The names of all queues. */
  queues(): Promise<readonly string[]>;
  /** SIGKILL, and the same server again with what it had on disk. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

/** Who publishes to one queue. */
export type Publisher = {
  /** Waits for the broker. Rejects where it goes away before it confirms the message: it has it, or not. */
  publish(body: unknown): Promise<void>;
  close(): Promise<void>;
};

/** As in the original's evaluation; its operator works with no other type. */
export const EXCHANGE = 'orders';
