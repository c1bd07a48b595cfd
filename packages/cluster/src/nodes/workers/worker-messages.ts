/** What a worker is given when it starts, as `workerData`. */
export type WorkerStart = {
  readonly pod: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly ip: string;
    readonly node: string;
  };
  readonly container: string;
  /** What a checkpoint of another one held; absent for a fresh start. */
  readonly restored?: unknown;
};

/** To a worker. */
export type ToWorker =
  /** SIGTERM: it has so many milliseconds to end. Sent to those only who said that they handle it. */
  | { readonly type: 'terminate'; readonly graceMs: number }
  /** It is to say what it has in mind. */
  | { readonly type: 'checkpoint'; readonly id: number };

/** From a worker. */
export type FromWorker =
  /** From now on it gets the signals that it handles. One that does not handle SIGTERM dies of it at once, as processes do. */
  | { readonly type: 'handles'; readonly what: 'terminate' | 'checkpoint' }
  /** What its readiness probe would say. Until it speaks, it is ready. */
  | { readonly type: 'ready'; readonly ready: boolean }
  /** A server listens on a port of the container, which is `at` on the loopback; and no longer. */
  | { readonly type: 'listening'; readonly port: number; readonly at: number }
  | { readonly type: 'closed'; readonly port: number }
  /** The response to `checkpoint`: anything that the structured clone algorithm takes. */
  | { readonly type: 'checkpointed'; readonly id: number; readonly state: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string };

type Sent = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<FromWorker['type'], (sent: Sent) => FromWorker | undefined>> = {
  handles: ({ what }) =>
    what === 'terminate' || what === 'checkpoint' ? { type: 'handles', what } : undefined,
  ready: ({ ready }) => ({ type: 'ready', ready: ready === true }),
  listening: ({ port, at }) => ({ type: 'listening', port: Number(port), at: Number(at) }),
  closed: ({ port }) => ({ type: 'closed', port: Number(port) }),
  checkpointed: ({ id, state }) => ({ type: 'checkpointed', id: Number(id), state }),
  failed: ({ id, message }) => ({ type: 'failed', id: Number(id), message: String(message) }),
};

/** A message of a worker; undefined for whatever else it may send. */
export function fromWorker(message: unknown): FromWorker | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
  const type = String(message.type);
  return Object.hasOwn(READERS, type) ? READERS[type as FromWorker['type']](message) : undefined;
}
