import { type Clock, type Json, jsonEqual } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';
import { InProcessChannel } from './in-process-channel.ts';
import { InProcessQueue, type QueueArguments, type QueueLife, type QueueType } from './in-process-queue.ts';
import { matchesTopic } from './matches-topic.ts';
import type { RawMessage } from './raw-message.ts';

export type ExchangeType = 'fanout' | 'direct' | 'topic';
type Bound = { readonly queue: string; readonly routingKey: string };
type Exchange = { readonly type: ExchangeType; readonly bindings: Bound[] };

const TYPES: readonly string[] = ['fanout', 'direct', 'topic'] satisfies readonly ExchangeType[];

export type BrokerOptions = {
  /** Without one, queues do not expire. */
  readonly clock?: Clock;
  /** Of queues whose type is not named. Default: `classic`. */
  readonly defaultType?: QueueType;
};

/** Exchanges, queues and their channels, with the semantics of RabbitMQ. Calls take effect in their order. */
export class BrokerCore {
  /** See {@link BrokerOptions}. An administrator may change it; the queues that are there stay what they are. */
  defaultType: QueueType;
  readonly #clock: Clock | undefined;
  readonly #queues = new Map<string, InProcessQueue>();
  readonly #exchanges = new Map<string, Exchange>([['', { type: 'direct', bindings: [] }]]);
  readonly #channels = new Set<InProcessChannel>();
  #waiting: (() => void)[] = [];
  #isDown = false;
  #isForbidden: (queue: string) => boolean = () => false;

  constructor({ clock, defaultType = 'classic' }: BrokerOptions = {}) {
    this.#clock = clock;
    this.defaultType = defaultType;
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** Messages and topology survive that. */
  set isDown(isDown: boolean) {
    this.#isDown = isDown;
    if (isDown) this.disconnectAll();
    this.#changed();
  }

  /** The queues of a connection that has ended. */
  deleteQueuesOf(owner: object): void {
    for (const queue of this.#queues.values()) if (queue.owner === owner) this.deleteQueue(queue.name);
  }

  /** Closes every connection: unacked messages return to their places. */
  disconnectAll(): void {
    for (const channel of this.#channels) channel.close();
  }

  /** From now on nobody has rights to such queues (default: to any queue again). Who consumes one goes on. */
  forbid(isForbidden: (queue: string) => boolean = () => false): void {
    this.#isForbidden = isForbidden;
    this.#changed();
  }

  /** Throws `Forbidden`. */
  permit(queue: string): void {
    if (this.#isForbidden(queue))
      throw new OperatorError('Forbidden', `ACCESS_REFUSED - access to queue '${queue}' refused`);
  }

  /**
   * Every connection is lost on the side of its client alone. When what this returns is called, the broker notices that: until then
   * it hands out messages there.
   */
  halveAll(): () => void {
    const noticed = [...this.#channels].map((channel) => channel.halve());
    return () => {
      for (const notice of noticed) notice();
      this.#changed();
    };
  }

  /** All queues, by name. */
  get queues(): ReadonlyMap<string, InProcessQueue> {
    return this.#queues;
  }

  exchangeType(name: string): ExchangeType | undefined {
    return this.#exchanges.get(name)?.type;
  }

  /** Throws `Failed` if it exists with another type, or for an unknown type. */
  declareExchange(name: string, type: string): void {
    const existing = this.exchangeType(name);
    if (existing === type) return;
    if (existing !== undefined || !isExchangeType(type))
      throw new OperatorError('Failed', `inequivalent arg 'type' for exchange '${name}'`);
    this.#exchanges.set(name, { type, bindings: [] });
  }

  deleteExchange(name: string): void {
    if (name !== '') this.#exchanges.delete(name);
  }

  /** Throws `NotFound`. */
  queue(name: string): InProcessQueue {
    this.permit(name);
    const queue = this.#queues.get(name);
    if (queue === undefined) throw new OperatorError('NotFound', `no queue '${name}'`);
    return queue;
  }

  /** Throws `Failed` if it exists with other arguments, `AlreadyExists` if it is another connection's. */
  declareQueue(name: string, args: QueueArguments = {}, life: QueueLife = {}): InProcessQueue {
    this.permit(name);
    const existing = this.#queues.get(name);
    if (existing !== undefined) checkSame(existing, args, life);
    existing?.used();
    if (existing !== undefined) return existing;
    const type = this.#typeOf(name, args, life);
    if (type === 'quorum' && args['x-max-priority'] !== undefined)
      throw new OperatorError('Failed', `invalid arg 'x-max-priority' for queue '${name}'`);
    const expired = (): void => void this.deleteQueue(name);
    const queue = new InProcessQueue({ name, args, type, life, clock: this.#clock, expired });
    this.#queues.set(name, queue);
    this.#changed();
    return queue;
  }

  #typeOf(name: string, { 'x-queue-type': named }: QueueArguments, life: QueueLife): QueueType {
    const isShort = life.owner !== undefined || life.autoDelete === true;
    const type = named ?? (isShort ? 'classic' : this.defaultType);
    if (type === 'classic' || type === 'quorum') return type;
    throw new OperatorError('Failed', `invalid arg 'x-queue-type' for queue '${name}'`);
  }

  /** Deletes a queue with its messages, unacked ones too. Returns how many were ready. */
  deleteQueue(name: string): number {
    const queue = this.#queues.get(name);
    const { ready = 0 } = queue ?? {};
    queue?.deleted();
    this.#queues.delete(name);
    for (const exchange of this.#exchanges.values())
      exchange.bindings.splice(0, Infinity, ...exchange.bindings.filter((bound) => bound.queue !== name));
    this.#changed();
    return ready;
  }

  /** Throws `NotFound` for a missing exchange or queue. */
  bind(exchange: string, bound: Bound): void {
    const { bindings } = this.#exchange(exchange);
    const { name } = this.queue(bound.queue);
    if (bindings.every(({ queue, routingKey }) => queue !== name || routingKey !== bound.routingKey))
      bindings.push(bound);
  }

  unbind(exchange: string, bound: Bound): void {
    const { bindings } = this.#exchanges.get(exchange) ?? { bindings: [] };
    const at = bindings.findIndex(
      ({ queue, routingKey }) => queue === bound.queue && routingKey === bound.routingKey,
    );
    if (at >= 0) bindings.splice(at, 1);
  }

  /** Returns the number of queues that got the message. Throws `NotFound` for a missing exchange. */
  publish(exchange: string, routingKey: string, message: RawMessage): number {
    if (exchange === '') this.permit(routingKey);
    const queues = this.#routes(exchange, routingKey);
    for (const queue of queues) queue.push({ ...message, exchange, routingKey });
    return queues.length;
  }

  /** `closed` is called when the channel closes, on either side. */
  openChannel(closed: () => void = () => undefined): InProcessChannel {
    const channel = new InProcessChannel(() => {
      this.#channels.delete(channel);
      closed();
      this.#changed();
    });
    this.#channels.add(channel);
    return channel;
  }

  /** Resolves at the next change of queues, consumers or connections. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What `attempt` has undone, where it returns undefined, is no change: two who wait would wake each other for ever. */
  attempt<T>(attempt: () => T | undefined): T | undefined {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const result = attempt();
      if (result !== undefined) for (const wake of waiting.splice(0)) wake();
      return result;
    } finally {
      this.#waiting = waiting;
    }
  }

  /** Wakes those who wait for a change. */
  #changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #exchange(name: string): Exchange {
    const exchange = this.#exchanges.get(name);
    if (exchange === undefined) throw new OperatorError('NotFound', `no exchange '${name}'`);
    return exchange;
  }

  #routes(name: string, routingKey: string): readonly InProcessQueue[] {
    const { type, bindings } = this.#exchange(name);
    // The default exchange routes to each queue by its name.
    const names =
      name === ''
        ? [routingKey]
        : bindings.filter((bound) => matches(type, bound.routingKey, routingKey)).map(({ queue }) => queue);
    return [...new Set(names)].flatMap((queue) => this.#queues.get(queue) ?? []);
  }
}

/** A declaration without a type is that of a queue of any type. */
function checkSame(
  { name, args, type, owner }: InProcessQueue,
  declared: QueueArguments,
  life: QueueLife,
): void {
  if (owner !== life.owner)
    throw new OperatorError('AlreadyExists', `cannot obtain exclusive access to locked queue '${name}'`);
  const { 'x-queue-type': wanted = type, ...others } = declared;
  const { 'x-queue-type': _type, ...existing } = args;
  if (wanted !== type) throw inequivalent('x-queue-type', name, { declared: wanted, current: type });
  const differing = Object.keys({ ...existing, ...others }).find(
    (argument) => !isIgnored(argument, type) && !jsonEqual(existing[argument], others[argument]),
  );
  if (differing === undefined) return;
  throw inequivalent(differing, name, { declared: others[differing], current: existing[differing] });
}

/** RabbitMQ does not compare what a queue of the type cannot have. */
const isIgnored = (argument: string, type: QueueType): boolean =>
  type === 'quorum' && argument === 'x-max-priority';

type Differing = { readonly declared: Json | undefined; readonly current: Json | undefined };

/** In the words of RabbitMQ. */
function inequivalent(argument: string, queue: string, { declared, current }: Differing): OperatorError {
  const isBoth = declared !== undefined && current !== undefined;
  const text = (value: Json | undefined): string => {
    if (value === undefined) return 'none';
    return isBoth ? `'${plain(value)}'` : `the value '${plain(value)}' of type '${typeOf(value)}'`;
  };
  return new OperatorError(
    'Failed',
    `inequivalent arg '${argument}' for queue '${queue}' in vhost '/': received ${text(declared)} but current is ${text(current)}`,
  );
}

const plain = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function typeOf(value: Json): string {
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' ? 'signedint' : 'longstr';
}

function matches(type: ExchangeType, pattern: string, routingKey: string): boolean {
  if (type === 'fanout') return true;
  return type === 'direct' ? pattern === routingKey : matchesTopic(pattern, routingKey);
}

const isExchangeType = (type: string): type is ExchangeType => TYPES.includes(type);
