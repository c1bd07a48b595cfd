import type { Clock } from '@kubewright/client';
import { aborted, defined, errorText } from '@kubewright/kube';
import type { Backoff } from '../backoff.ts';
import type { Cache } from '../cache/cache.ts';
import type { Logger } from '../log/logger.ts';
import type { LoopWatch } from '../loop/loop-watch.ts';
import { type QueueGroups, WorkQueue } from '../queue/work-queue.ts';
import { isTerminal, RuntimeError } from '../runtime-error.ts';
import type { ControllerObserver, ReconcileOutcome } from './controller-observer.ts';
import { isPanic } from './is-panic.ts';
import { formatRequest, type Reconciler, type Request, type Result } from './reconciler.ts';
import type { Source, SourceContext } from './source.ts';
import { withDeadline } from './with-deadline.ts';

export type ControllerOptions = {
  /** Lower case; names the controller in logs and metrics. */
  readonly name: string;
  readonly reconciler: Reconciler;
  readonly sources: readonly Source[];
  /** Default 1. An object is never reconciled by two workers at a time, whatever the number. */
  readonly maxConcurrentReconciles?: number;
  /**
   * Groups of requests, for example by namespace, take turns, each with a bound of workers: what holds up one group holds up no
   * other, as long as `maxConcurrentReconciles` is more than that. Priorities come first. Default: one group, without a bound.
   */
  readonly groups?: QueueGroups<Request>;
  /** Delay after an object's nth failure in a row. Default 5 ms doubling to 1000 s. */
  readonly backoff?: Backoff;
  /** How long a stop waits for running reconciles before it aborts their signal. Default 30 s. */
  readonly gracefulMs?: number;
  /** The signal of a reconcile that takes longer is aborted. Default: never. */
  readonly reconcileTimeoutMs?: number;
  /** False: runs on standby too, and must not make writes that need a leader. Has no effect without an election. */
  readonly needLeaderElection?: boolean;
};

type FailedRequest = { readonly request: Request; readonly error: string };

/** A failing request: failures in a row, and the last error. */
export type FailingRequest = FailedRequest & { readonly failures: number };

/** The manager's dependencies of a controller. */
export type ControllerEnvironment = {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: ControllerObserver;
  readonly watch?: LoopWatch;
};

/** Of an error that is kept for `health()`. */
const ERROR_CHARACTERS = 500;
const DEFAULT_GRACEFUL_MS = 30_000;
/** How long a reconcile may take to end once its signal is aborted. */
const LAST_MS = 10_000;

/** Queues the requests of its sources and reconciles them, one at a time per object. */
export class Controller {
  readonly name: string;
  readonly needLeaderElection: boolean;
  readonly #options: ControllerOptions;
  readonly #environment: ControllerEnvironment;
  readonly #observer: ControllerObserver;
  readonly #log: Logger;
  readonly #queue: WorkQueue<Request>;
  /** The last error of each request, until it succeeds. */
  readonly #errors = new Map<string, FailedRequest>();
  #active = 0;
  #started = false;

  constructor(options: ControllerOptions, environment: ControllerEnvironment) {
    this.name = options.name;
    this.needLeaderElection = options.needLeaderElection ?? true;
    this.#options = options;
    this.#environment = environment;
    this.#log = environment.log.child({ controller: options.name });
    const { observer = {}, clock } = environment;
    this.#observer = observer;
    this.#queue = new WorkQueue<Request>({
      clock,
      keyOf: formatRequest,
      ...defined({ backoff: options.backoff, observer: observer.queue, groups: options.groups }),
    });
  }

  /** Enqueues a request, as a source does. */
  enqueue(request: Request, priority?: number, afterMs: number = 0): void {
    this.#queue.addAfter(request, afterMs, priority);
  }

  /** Reconciles in progress and waiting. Zero when the controller is at rest. */
  get load(): { readonly waiting: number; readonly active: number } {
    return { waiting: this.#queue.depth, active: this.#active };
  }

  /** The requests whose last `failures` reconciles, or more, all failed. */
  failing(failures: number): readonly FailingRequest[] {
    const failed = [...this.#errors.values()];
    return failed
      .map(({ request, error }) => ({ request, error, failures: this.#queue.failures(request) }))
      .filter((one) => one.failures >= failures);
  }

  /** For the metrics: how long each reconcile under way has taken so far. */
  workingFor(): readonly number[] {
    return this.#queue.workingFor();
  }

  /** Fills the caches that the sources need, without reconciling: for a standby replica. */
  async warmUp(signal: AbortSignal): Promise<void> {
    const context: SourceContext = { cache: this.#environment.cache, enqueue: () => undefined };
    await Promise.all(this.#options.sources.map((source) => source.waitForSync(context, signal)));
  }

  /**
   * Runs until `signal` is aborted: starts the sources, waits for their caches, then starts the workers. On a stop, sources
   * end first, then running reconciles are awaited, then their signal is aborted. Rejects with `TimedOut` when one does
   * not end even then.
   */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new RuntimeError('InvalidState', `controller ${this.name} was started before`);
    this.#started = true;
    const context: SourceContext = {
      cache: this.#environment.cache,
      enqueue: (...added) => this.enqueue(...added),
    };
    const ends = this.#options.sources.map((source) => source.start(context));
    await Promise.all(this.#options.sources.map((source) => source.waitForSync(context, signal)));
    const hard = new AbortController();
    const count = this.#options.maxConcurrentReconciles ?? 1;
    this.#observer.onStart?.(count);
    this.#log.debug('controller started', { workers: count });
    const workers = Array.from({ length: count }, () => this.#work(hard.signal));
    await aborted(signal);
    for (const end of ends) end();
    this.#queue.shutDown();
    await this.#ended(workers, hard);
    this.#log.debug('controller stopped');
  }

  /** Awaits the workers: first gracefully, then after aborting their signal. */
  async #ended(workers: readonly Promise<void>[], hard: AbortController): Promise<void> {
    const { clock } = this.#environment;
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void =>
        reject(new RuntimeError('TimedOut', `a reconcile of controller ${this.name} does not end`));
      let cancel = clock.after(this.#options.gracefulMs ?? DEFAULT_GRACEFUL_MS, () => {
        this.#log.warn('a reconcile does not end: aborting it');
        cancel = clock.after(LAST_MS, giveUp);
        hard.abort();
      });
      Promise.all(workers).then(() => {
        cancel();
        resolve();
      }, reject);
    });
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (;;) {
      const request = await this.#queue.take();
      if (request === undefined) return;
      await this.#reconcile(request, signal);
      this.#queue.done(request);
    }
  }

  async #reconcile(request: Request, signal: AbortSignal): Promise<void> {
    const { clock } = this.#environment;
    const observer = this.#observer;
    const began = clock.monotonic();
    const log = this.#log.child({ object: formatRequest(request) });
    observer.onActive?.(++this.#active);
    const watched = this.#environment.watch?.begin(this.name, formatRequest(request));
    let outcome: ReconcileOutcome;
    try {
      // `await` inside try: catches a synchronous throw and a rejection alike.
      const { reconciler, reconcileTimeoutMs: ms } = this.#options;
      const onTimeout = (): void => observer.onTimeout?.();
      const result = await withDeadline({ clock, ms, signal, onTimeout }, async (end) =>
        reconciler.reconcile(request, { signal: end, log, controller: this.name }),
      );
      outcome = this.#succeeded(request, result);
    } catch (error) {
      if (isPanic(error)) observer.onPanic?.();
      outcome = this.#failed(request, error, log);
    }
    watched?.ended();
    observer.onActive?.(--this.#active);
    observer.onReconcile?.(outcome, clock.monotonic() - began);
  }

  #succeeded(request: Request, result: Result | void): ReconcileOutcome {
    const { requeueAfter, requeue, problem, priority } = result ?? {};
    if (requeueAfter !== undefined && !(requeueAfter >= 0)) throw invalidResult(requeueAfter);
    this.#errors.delete(formatRequest(request));
    const next = priority ?? this.#queue.priorityOf(request);
    if (requeue === true) {
      this.#queue.addRateLimited(request, next, requeueAfter);
      if (problem !== undefined) this.#remember(request, problem);
      return 'requeue';
    }
    this.#queue.forget(request);
    if (requeueAfter === undefined) return 'success';
    this.#queue.addAfter(request, requeueAfter, next);
    return 'requeue_after';
  }

  #failed(request: Request, error: unknown, log: Logger): ReconcileOutcome {
    if (isTerminal(error)) {
      this.#queue.forget(request);
      this.#errors.delete(formatRequest(request));
      log.error('reconcile failed for good', { error });
      return 'terminal_error';
    }
    this.#queue.addRateLimited(request, this.#queue.priorityOf(request));
    log.error('reconcile failed, will try again', { error, failures: this.#queue.failures(request) });
    this.#remember(request, errorText(error));
    return 'error';
  }

  #remember(request: Request, error: string): void {
    this.#errors.set(formatRequest(request), { request, error: error.slice(0, ERROR_CHARACTERS) });
  }
}

function invalidResult(requeueAfter: unknown): RuntimeError {
  const text = typeof requeueAfter === 'number' ? String(requeueAfter) : JSON.stringify(requeueAfter);
  return new RuntimeError(
    'InvalidResult',
    `the reconciler returned requeueAfter ${text}: expected milliseconds`,
  );
}
