// Apart from what uses the client of NATS: its types are in no declaration of this package, because they need those of the DOM.

export type JetStreamQueue = {
  /** Messages that are not acked. Those that a consumer has in hand are among them. */
  readonly ready: number;
  readonly consumers: number;
};

/** Where a queue begins to read its log: at its first message, or at the next one that is published. */
export type Start = 'first' | 'next';
