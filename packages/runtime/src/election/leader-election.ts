import {
  type Client,
  type Clock,
  createClient,
  isConflict,
  isNotFound,
  type Random,
  sleep,
  systemClock,
  systemRandom,
} from '@kubewright/client';
import type { KubeObject, Transport } from '@kubewright/kube';
import { createEventRecorder } from '../events/event-recorder.ts';
import type { Logger } from '../log/logger.ts';
import { createPinoLogger } from '../log/create-pino-logger.ts';
import { RuntimeError } from '../runtime-error.ts';
import {
  type ElectionAction,
  type ElectionEvent,
  type ElectionSettings,
  type ElectionState,
  nextElectionStep,
} from './election-state.ts';
import { callWithin } from '../call-within.ts';
import { electionSettings, JITTER } from './election-settings.ts';
import { Fence, withFence } from './fence.ts';
import { isStoredUnchanged, LEASES, readLease, withAnnotations } from './lease-record.ts';
import { releaseLease } from './release-lease.ts';

export type LeaderElectionOptions = Pick<ElectionSettings, 'name' | 'identity'> & {
  /** The Lease's namespace. A function is called when the election begins, where it has to be looked up. */
  readonly namespace: string | (() => Promise<string>);
  /** The transport without the fence. Writes that need the leader go through {@link LeaderElection.transport}. */
  readonly transport: Transport;
  /** Milliseconds; whole seconds. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** Default 10 s. The difference to the lease duration is how long a write may take. */
  readonly renewDeadlineMs?: number;
  /** Default 2 s; standbys add jitter of up to 1.2 times as much. */
  readonly retryPeriodMs?: number;
  /** Of the Lease, while this candidate holds it. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Called when the Lease has another holder than before, whether this candidate or another. */
  readonly onNewLeader?: (leader: Leader) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
};

/** Who holds a Lease, and what it has noted there. */
export type Leader = {
  readonly identity: string;
  readonly annotations: Readonly<Record<string, string>>;
};

/** One candidate for a Lease, for the lifetime of a process. */
export type LeaderElection = {
  readonly name: string;
  /** Sends writes only while the Lease is certainly held; reads always. */
  readonly transport: Transport;
  /** The same over another transport, for a component with its own service account. */
  fenced(transport: Transport): Transport;
  /** The number of the present term (`leaseTransitions`), while the Lease is certainly held. */
  term(): number | undefined;
  /** How often the leader had to read the Lease again, because a renewal was rejected or had no response. */
  slowPaths(): number;
  /**
   * Runs until `signal` is aborted, then releases the Lease if no write is still in flight. Calls `onLeading` once. Rejects
   * with `LeaseLost` when the leader lost the Lease. May be called once.
   */
  run(signal: AbortSignal, onLeading: () => void): Promise<void>;
};

/**
 * Leader election over a `coordination.k8s.io/v1` Lease, compatible with client-go's.
 *
 * @example
 * const election = createLeaderElection({ transport, namespace: 'kube-system', name: 'my-operator', identity });
 * const manager = createManager({ client: createClient(withRetry(election.transport)), election });
 */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  return new Elector(options);
}

class Elector implements LeaderElection {
  readonly name: string;
  readonly transport: Transport;
  readonly #namespace: LeaderElectionOptions['namespace'];
  #settings: ElectionSettings;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #fence: Fence;
  readonly #annotations: LeaderElectionOptions['annotations'];
  readonly #onNewLeader: LeaderElectionOptions['onNewLeader'];
  /** As it was reported last. */
  #leader = '';
  readonly #record: (lease: KubeObject, what: string) => void;
  #state: ElectionState = { phase: 'Standby' };
  #started = false;
  #slowPaths = 0;
  /** Wall time at which the last write of the Lease was sent. */
  #sentWall = 0;
  /** Resolves when the Events of this election are written. */
  readonly #eventsWritten: () => Promise<void>;

  constructor(options: LeaderElectionOptions) {
    const { clock = systemClock, random = systemRandom, log = createPinoLogger() } = options;
    this.#namespace = options.namespace;
    this.#settings = electionSettings(options);
    const { name, identity, leaseDurationMs } = this.#settings;
    this.name = name;
    this.#clock = clock;
    this.#random = random;
    this.#log = log.child({ lease: name, identity });
    this.#fence = new Fence(clock, leaseDurationMs);
    this.#annotations = options.annotations;
    this.#onNewLeader = options.onNewLeader;
    this.#client = createClient(options.transport, { fieldOwner: 'leader-election' });
    this.transport = this.fenced(options.transport);
    const recorder = createEventRecorder({ client: this.#client, clock, random, log, component: identity });
    this.#record = (lease, what) => {
      const message = `${identity} ${what}`;
      recorder.record(lease, { type: 'Normal', reason: 'LeaderElection', message });
    };
    this.#eventsWritten = () => recorder.settled();
  }

  fenced(transport: Transport): Transport {
    return withFence(transport, this.#fence);
  }

  term(): number | undefined {
    return this.#state.phase === 'Leading' && this.#fence.isOpen ? this.#state.term : undefined;
  }

  slowPaths(): number {
    return this.#slowPaths;
  }

  async run(signal: AbortSignal, onLeading: () => void): Promise<void> {
    if (this.#started) throw new RuntimeError('InvalidState', 'an election was run twice');
    this.#started = true;
    if (typeof this.#namespace === 'function')
      this.#settings = { ...this.#settings, namespace: await this.#namespace() };
    let action: ElectionAction = { type: 'read' };
    while (!signal.aborted && action.type !== 'stop') {
      const event = await this.#perform(action, signal);
      if (!signal.aborted || event.type === 'Written') action = this.#step(event, onLeading);
    }
    this.#fence.close();
    if (this.#state.phase === 'Leading') await this.#release(this.#state.observed.lease);
    await this.#flushEvents();
    if (this.#state.phase === 'Lost')
      throw new RuntimeError(
        'LeaseLost',
        `${this.#settings.identity} lost the Lease ${this.#settings.namespace}/${this.name}: ${this.#state.reason}`,
      );
  }

  /** The process closes its connections after this, and must not wait long for a server that is gone. */
  async #flushEvents(): Promise<void> {
    const { signal } = new AbortController();
    const { retryPeriodMs } = this.#settings;
    await callWithin(this.#clock, retryPeriodMs, signal, this.#eventsWritten).catch(() => undefined);
  }

  #step(event: ElectionEvent, onLeading: () => void): ElectionAction {
    const before = this.#state;
    const { state, action } = nextElectionStep(before, event, this.#settings);
    this.#state = state;
    if (state.phase !== 'Lost') this.#noteLeader(state.observed?.lease);
    if (state.phase !== 'Leading') this.#fence.close();
    else if (event.type === 'Written')
      this.#fence.openUntil(state.until, this.#sentWall + this.#settings.renewDeadlineMs);
    if (before.phase === 'Standby' && state.phase === 'Leading') {
      this.#log.info('became leader', { term: state.term });
      this.#record(state.observed.lease, 'became leader');
      onLeading();
    }
    if (before.phase === 'Leading' && state.phase === 'Lost') {
      this.#log.error('lost the lease', { reason: state.reason });
      this.#record(before.observed.lease, 'stopped leading');
    }
    return action;
  }

  /** The annotations of a holder are there with its first write. */
  #noteLeader(lease: KubeObject | undefined): void {
    const identity = lease === undefined ? '' : readLease(lease).holder;
    if (identity === '' || identity === this.#leader) return;
    this.#leader = identity;
    if (this.#state.phase === 'Standby') this.#log.info('standing by', { leader: identity });
    this.#onNewLeader?.({ identity, annotations: lease?.metadata.annotations ?? {} });
  }

  async #perform(action: ElectionAction, signal: AbortSignal): Promise<ElectionEvent> {
    switch (action.type) {
      case 'read':
        return this.#read(signal);
      case 'create':
      case 'update':
        return this.#write(action.type, action.lease, signal);
      case 'wait':
        await sleep(this.#clock, this.#spread(action.ms), signal);
        return this.#event({ type: 'Due' });
      case 'stop':
        return this.#event({ type: 'Due' });
    }
  }

  /** A leader renews at its period; standbys add jitter. */
  #spread(ms: number): number {
    return this.#state.phase === 'Standby' ? ms * (1 + JITTER * this.#random()) : ms;
  }

  async #read(signal: AbortSignal): Promise<ElectionEvent> {
    const { namespace, name } = this.#settings;
    if (this.#state.phase === 'Leading') this.#slowPaths++;
    try {
      const lease = await this.#call(signal, (end) =>
        this.#client.get(LEASES, { namespace, name }, { signal: end }),
      );
      return this.#event({ type: 'Read', lease });
    } catch (error) {
      if (isNotFound(error)) return this.#event({ type: 'Read', lease: undefined });
      this.#log.warn('the lease could not be read', { error });
      return this.#event({ type: 'ReadFailed' });
    }
  }

  async #write(method: 'create' | 'update', lease: KubeObject, signal: AbortSignal): Promise<ElectionEvent> {
    const wanted = withAnnotations(lease, this.#annotations);
    const sentAt = this.#clock.monotonic();
    this.#sentWall = this.#clock.now();
    try {
      const lease = await this.#call(signal, (end) => this.#client[method](LEASES, wanted, { signal: end }));
      if (isStoredUnchanged(lease, wanted)) return this.#event({ type: 'Written', lease, sentAt });
      this.#log.warn('the lease was not stored as sent: a mutating webhook changes it');
      return this.#event({ type: 'Altered', lease });
    } catch (error) {
      this.#log.warn('the lease could not be written', { error });
      return this.#event({ type: 'WriteFailed', retryAtOnce: isConflict(error) || isNotFound(error) });
    }
  }

  #event<T>(event: T): T & { readonly now: number; readonly wall: number } {
    return { ...event, now: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  /** No request outlasts the leader's deadline. */
  #call<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { renewDeadlineMs, retryPeriodMs } = this.#settings;
    const left = this.#state.phase === 'Leading' ? this.#state.until - this.#clock.monotonic() : undefined;
    // A leader's request that hangs must leave time for another.
    const ms = left === undefined ? renewDeadlineMs : Math.min(left, Math.max(retryPeriodMs, left / 2));
    return callWithin(this.#clock, Math.max(0, ms), signal, call);
  }

  /** Releases the Lease for the next leader. Not while a write is in flight: then the Lease has to expire. */
  async #release(lease: KubeObject): Promise<void> {
    if (!this.#fence.isQuiet) {
      this.#log.warn('the lease is not released: a write may still be on its way');
      return;
    }
    try {
      const released = await releaseLease(lease, {
        client: this.#client,
        clock: this.#clock,
        settings: this.#settings,
      });
      this.#log.info('released the lease');
      this.#record(released, 'stopped leading');
    } catch (error) {
      this.#log.warn('the lease could not be released', { error });
    }
  }
}
