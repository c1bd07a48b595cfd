import type { Message, QueueOptions } from '@kubewright/migratable';

export type QueueFacts = {
  /**
   * Messages that are ready. At RabbitMQ unacked ones do not count: a queue with none may be far from drained. In a log they do:
   * nobody has taken them from there.
   */
  readonly ready: number;
  readonly consumers: number;
};

/** How often a message of a queue may come back before the broker drops it, or sends it to a dead letter exchange. */
export type DeliveryLimit = {
  readonly limit: number;
  /** Whether the queue was declared with it: else it is the default of the version. A policy may set another one. */
  readonly isOwn: boolean;
  /** Whether a process that only pauses comes nearer to it, with all that it has in hand. */
  readonly countsPauses: boolean;
  /** Of the broker. */
  readonly version: string;
};

/**
 * RabbitMQ confirms a queue at once and writes it to disk within two seconds (its `disk_log` buffers for so long). One that is
 * killed before that forgets the queue, with the confirmed messages in it. Times in a status are whole seconds.
 */
export const STORED_SECONDS = 4;

export const STORING = 'the broker writes the queue to disk';

/** What is reported of a broker until a first attempt has failed. */
export const NOT_RESPONDED = 'it has not responded yet';

export type Binding = { readonly queue: string; readonly exchange: string; readonly routingKey: string };

/**
 * The broker operations of an operator. All are idempotent: after `Unavailable`, repeat the call; a message may then be
 * there twice. Rejects with `OperatorError`: `Unavailable`, `NotFound`, or `Failed` when the broker rejects the
 * operation.
 */
export type Broker = {
  /** Does nothing at the broker, and resolves when it has responded. */
  reach(): Promise<void>;
  /** Undefined if the queue does not exist. */
  queue(name: string): Promise<QueueFacts | undefined>;
  exchangeExists(name: string): Promise<boolean>;
  /** Undefined where there is none, or nobody can tell. */
  deliveryLimit(queue: string): Promise<DeliveryLimit | undefined>;
  /**
   * Declares a durable classic queue. Does nothing if it exists with the same options, rejects with `Failed` for
   * others.
   */
  declareQueue(name: string, options?: QueueOptions): Promise<void>;
  /**
   * Declares a durable queue as an application does that declares it, too, and knows nothing of ours: with what `like` was declared
   * with, another queue of that application, else without options, and of the broker's default type. Does nothing and rejects
   * as `declareQueue` does.
   */
  declarePlainQueue(name: string, like?: string): Promise<void>;
  /** Deletes a queue with its messages. Does nothing if it does not exist. */
  deleteQueue(name: string): Promise<void>;
  /** The queue and the exchange must exist (`NotFound`): neither is declared here, because their types are unknown. */
  bind(binding: Binding): Promise<void>;
  /** Does nothing if it does not exist. */
  unbind(binding: Binding): Promise<void>;
  /** Publishes straight to a queue: persistent, and confirmed when this resolves. */
  send(queue: string, message: Message): Promise<'sent' | 'unroutable'>;
  /** The message at the head of a queue, which stays there. Undefined if there is none, or no such queue. */
  peek(queue: string): Promise<Message | undefined>;
};

export type BrokerAddress = {
  /** `amqp://` or `amqps://`; `nats://` or `tls://`. */
  readonly url: string;
  /** They override the credentials in the URL. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Of NATS, in place of a user: a token, the seed of an NKEY, the content of a credentials file. */
  readonly login?: { readonly token?: string; readonly nkey?: string; readonly credentials?: string };
  /** Of NATS, PEM: who has signed the certificate of the server, and the one of the operator. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
};

/** The brokers of an operator: one connection per address, shared by all callers. */
export type Brokers = {
  /** Connects on first use. Calls reject with `Usage` for an invalid URL. */
  at(address: BrokerAddress): Broker;
  /**
   * Ends the connection to an address. What waits for a response rejects with `Unavailable`, and so does each later call of what
   * {@link at} has returned so far. Never rejects.
   */
  release(address: BrokerAddress): Promise<void>;
  close(): Promise<void>;
};
