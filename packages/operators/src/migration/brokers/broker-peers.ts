import { backoffDelay, type Logger, type Request } from '@kubewright/runtime';
import { type Clock, sleep } from '@kubewright/kube';
import { detach } from '@kubewright/kube/serving';
import { OperatorError } from '../../operator-error.ts';
import { addressKey } from './address-key.ts';
import { type Broker, type BrokerAddress, type Brokers, NOT_RESPONDED } from './broker.ts';

/** How long a broker may take for what one reconcile wants of it; a little more than clients wait for a connection. */
const MOST_MS = 12_000;
/** The delay between two attempts to reach a broker. The first repetition comes at once: connections break now and then. */
const BACKOFF = { baseMs: 250, maxMs: 5000 };

type User = {
  readonly request: Request;
  /** When {@link BrokerPeers.use} last rejected because the broker is not reached. */
  readonly rejectedAt?: number;
};

type Peer = {
  readonly key: string;
  readonly address: BrokerAddress;
  /** The migrations that name it, by {@link keyOf}. */
  readonly users: Map<string, User>;
  readonly stop: AbortController;
  broker: Broker;
  /** Undefined: it has responded, and not failed since. */
  problem: string | undefined;
};

type Environment = {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
  /** Reconciles a migration: its broker responds. */
  readonly wake: (user: Request) => void;
};

/**
 * The brokers that migrations name, one connection for each address. Only one that has responded is used: to reach the others is
 * tried in the background, once for all migrations that name them, with back-off. So a broker that is silent holds up no worker of
 * the controller. The connection ends with the last migration that names the address.
 */
export class BrokerPeers {
  readonly #brokers: Brokers;
  readonly #environment: Environment;
  readonly #peers = new Map<string, Peer>();
  /** By the key of the migration. */
  readonly #peerOf = new Map<string, Peer>();

  constructor(brokers: Brokers, environment: Environment) {
    this.#brokers = brokers;
    this.#environment = environment;
  }

  /**
   * Calls `call` with the broker at an address, which `user` names from now on. Rejects with `Unavailable` at once where the broker
   * is not reached: `user` is woken when it is. The calls reject as {@link Broker} says.
   */
  async use<T>(user: Request, address: BrokerAddress, call: (broker: Broker) => Promise<T>): Promise<T> {
    const peer = this.#named(user, address);
    if (peer.problem !== undefined) {
      peer.users.set(keyOf(user), { request: user, rejectedAt: this.#environment.clock.monotonic() });
      throw new OperatorError('Unavailable', peer.problem);
    }
    try {
      return await this.#within(peer, call);
    } catch (error) {
      if (isUnavailable(error)) this.#doubt(peer, error.message);
      throw error;
    }
  }

  /** Whether `user` has been rejected within the last `ms` because its broker is not reached, and it still is not: nothing new is known. */
  isWaiting(user: Request, ms: number): boolean {
    const peer = this.#peerOf.get(keyOf(user));
    const { rejectedAt } = peer?.users.get(keyOf(user)) ?? {};
    const isAway = peer?.problem !== undefined;
    return isAway && rejectedAt !== undefined && this.#environment.clock.monotonic() - rejectedAt < ms;
  }

  /** The migration is over or gone, or may not name its broker. */
  leave(user: Request): void {
    const peer = this.#peerOf.get(keyOf(user));
    if (peer === undefined) return;
    this.#peerOf.delete(keyOf(user));
    peer.users.delete(keyOf(user));
    if (peer.users.size > 0) return;
    this.#peers.delete(peer.key);
    peer.stop.abort();
    this.#detach(() => this.#brokers.release(peer.address));
  }

  /** Ends all attempts and connections. */
  async close(): Promise<void> {
    for (const { stop } of this.#peers.values()) stop.abort();
    this.#peers.clear();
    this.#peerOf.clear();
    await this.#brokers.close();
  }

  #detach(work: () => Promise<void>): void {
    detach(work, (error) => this.#environment.log.error('a broker could not be looked after', { error }));
  }

  #named(user: Request, address: BrokerAddress): Peer {
    const key = addressKey(address);
    const before = this.#peerOf.get(keyOf(user));
    if (before?.key === key) return before;
    const peer = this.#peers.get(key) ?? this.#begin(key, address);
    peer.users.set(keyOf(user), { request: user });
    this.leave(user);
    this.#peerOf.set(keyOf(user), peer);
    return peer;
  }

  #begin(key: string, address: BrokerAddress): Peer {
    const peer: Peer = {
      key,
      address,
      users: new Map(),
      stop: new AbortController(),
      broker: this.#brokers.at(address),
      problem: NOT_RESPONDED,
    };
    this.#peers.set(key, peer);
    this.#detach(() => this.#reach(peer));
    return peer;
  }

  /** A call has failed: nobody uses it until it has responded again. */
  #doubt(peer: Peer, problem: string): void {
    if (peer.problem !== undefined || peer.stop.signal.aborted) return;
    peer.problem = problem;
    this.#detach(() => this.#reach(peer));
  }

  /** Tries until it is reached, or nobody names it any more. Never rejects. */
  async #reach(peer: Peer): Promise<void> {
    const { signal } = peer.stop;
    for (let failures = 1; !signal.aborted; failures++) {
      const problem = await this.#attempt(peer);
      if (signal.aborted) return;
      if (problem === undefined) {
        peer.problem = undefined;
        for (const { request } of peer.users.values()) this.#environment.wake(request);
        return;
      }
      peer.problem = problem;
      if (failures > 1) await sleep(this.#environment.clock, backoffDelay(BACKOFF, failures - 1), signal);
    }
  }

  /** Returns why it is not reached. A broker that responds with a rejection is: migrations learn why when they use it. */
  async #attempt(peer: Peer): Promise<string | undefined> {
    try {
      await this.#within(peer, (broker) => broker.reach());
    } catch (error) {
      if (!isUnavailable(error)) return undefined;
      await this.#renew(peer);
      return error.message;
    }
    return undefined;
  }

  /** Whatever waits for a response that does not come rejects: the connection is closed. */
  async #within<T>(peer: Peer, call: (broker: Broker) => Promise<T>): Promise<T> {
    const { clock } = this.#environment;
    let cancel: () => void = () => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(MOST_MS, () => {
        reject(new OperatorError('Unavailable', `the broker has not responded for ${MOST_MS / 1000} s`));
        this.#detach(() => this.#renew(peer));
      });
    });
    try {
      return await Promise.race([call(peer.broker), late]);
    } finally {
      cancel();
    }
  }

  /** Closes its connection. The next attempt opens another one. */
  async #renew(peer: Peer): Promise<void> {
    if (peer.stop.signal.aborted) return;
    const released = this.#brokers.release(peer.address);
    peer.broker = this.#brokers.at(peer.address);
    await released;
  }
}

function keyOf({ namespace = '', name }: Request): string {
  return `${namespace}/${name}`;
}

function isUnavailable(error: unknown): error is OperatorError {
  return error instanceof OperatorError && error.retryable;
}
