import type { Message, QueueOptions } from '@kubewright/migratable';

export type QueueFacts = {
  /** Messages that nobody has taken. What a consumer has in hand is not among them: a queue with none may be far from drained. */
  readonly ready: number;
  readonly consumers: number;
};

export type Binding = { readonly queue: string; readonly exchange: string; readonly routingKey: string };

/**
 * What an operator does with a broker. All of it can be done twice: after `Unavailable`, do the same again; a message may
 * then be there twice. Rejects with `OperatorError`: `Unavailable`, `NotFound`, or `Failed` where the broker rejects it.
 */
export type Broker = {
  /** Undefined: there is no such queue. */
  queue(name: string): Promise<QueueFacts | undefined>;
  exchangeExists(name: string): Promise<boolean>;
  /** A durable classic queue. It exists with the same options: nothing happens. With others: `Failed`. */
  declareQueue(name: string, options?: QueueOptions): Promise<void>;
  /** With its messages. It is missing: nothing happens. */
  deleteQueue(name: string): Promise<void>;
  /** Queue and exchange have to be there (`NotFound`): neither is declared here, with whatever type it would be. */
  bind(binding: Binding): Promise<void>;
  /** It is missing: nothing happens. */
  unbind(binding: Binding): Promise<void>;
  /** Straight into a queue: persistent, and confirmed when this resolves. */
  send(queue: string, message: Message): Promise<'sent' | 'unroutable'>;
  /** The message at the head of a queue, which stays there. Undefined: there is none, or no such queue. */
  peek(queue: string): Promise<Message | undefined>;
};

export type BrokerAddress = {
  /** `amqp://` or `amqps://`. */
  readonly url: string;
  /** In place of those in the URL. */
  readonly credentials?: { readonly username: string; readonly password: string };
};

/** The brokers of an operator: one connection for each address, whoever asks. */
export type Brokers = {
  /** Connects when something is asked of it. Throws `Usage` for a URL that is none. */
  at(address: BrokerAddress): Broker;
  close(): Promise<void>;
};
