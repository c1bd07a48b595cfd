import { AppliedMessages } from './applied-messages.ts';
import { Barriers } from './barriers.ts';
import { CommandLog } from './command-log.ts';
import { type Identify, identifyByBody } from './identify.ts';
import { isToRun } from './is-to-run.ts';
import { MigratableError } from './migratable-error.ts';
import type { Message, Messages } from './messages.ts';
import { MovableState } from './movable-state.ts';
import { controlQueue, type FencedCommand, QUEUE_EXPIRES_MS, type Report, RESTORE_MODE } from './protocol.ts';
import { commandOf } from './protocol-messages.ts';
import { PrimaryQueue } from './primary-queue.ts';
import { QueueHold } from './queue-hold.ts';
import { randomName } from './random-name.ts';
import { ReportWriter } from './report-writer.ts';
import { type Captured, capturedOf } from './read-snapshot.ts';
import { timer } from './timer.ts';
import { type Waiting, whileForbidden } from './while-away.ts';
import { type End, Work } from './work.ts';

export type MigratableOptions = {
  /**
   * The queue whose messages make the state. Nobody else consumes it. A process that takes over gets its name from the
   * operator, if its configuration says another one (one that is named after its pod).
   */
  readonly queue: string;
  readonly messages: Messages;
  /** The UID of the pod, from the downward API (`metadata.uid`). */
  readonly pod: string;
  /** Changes the state by one message, completely or, when it throws, not at all: the process ends then. */
  readonly apply: (message: Message) => void | Promise<void>;
  /** The whole state, a JSON value. Asked for only while no message is being applied. */
  readonly snapshot: () => unknown;
  /** Puts a state that `snapshot` gave in the place of the present one. */
  readonly restore: (state: unknown) => void | Promise<void>;
  /** Which message it is. Default: `seq` and `producer` of a JSON body. */
  readonly identify?: Identify;
  /** Do nothing until an operator commands it: this process takes over from another. Default: `MS2M_RESTORE_MODE` is `true`. */
  readonly startPaused?: boolean;
  /** What {@link Migratable.capture} gave in the process of which this one is a checkpoint. It starts paused. */
  readonly restored?: unknown;
  /** Names this run of the process. Default: at random. */
  readonly instance?: string;
  /** What a barrier for this pod has to carry. Default: at random. */
  readonly token?: string;
  /**
   * Called before it goes on from a state that is older than one that was lost: messages that another process had applied are
   * missing from it, for `reason`. Default: a warning of the process. Reports have the reason from then on.
   */
  readonly onStateLost?: (reason: string) => void;
  /** Sees each report that is published. */
  readonly onReport?: (report: Report) => void;
  /** Resolves after `ms`, or when `signal` is aborted. Default: by the clock of this machine; a simulation has one of its own. */
  readonly timer?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** How many messages the broker hands out ahead. */
const PREFETCH = 50;
const CONTROL_QUEUE = { expiresMs: QUEUE_EXPIRES_MS };
/** How often a process that waits for its queue looks whether it may have it, without being asked. */
const LOOK_MS = 1000;

/**
 * A consumer whose state can move to another process while messages come in: each message changes the state of the survivor
 * once. `start` resolves when `signal` is aborted, after the message in hand; it rejects with what `apply` throws.
 *
 * @example
 * const counter = new Migratable({ queue: 'orders', messages, pod: process.env.POD_UID, apply, snapshot, restore });
 * await counter.start(signal);
 */
export class Migratable {
  readonly #options: MigratableOptions;
  readonly #instance: string;
  readonly #log = new CommandLog();
  readonly #state: MovableState;
  readonly #barriers: Barriers;
  readonly #reports: ReportWriter;
  readonly #work: Work;
  readonly #primary: PrimaryQueue;
  readonly #hold: QueueHold;
  /** It has begun without a state while the queue is held: it consumes when that is over. */
  #isWaiting = false;
  /** As long as it waits, and no process of its pod ever reported: nobody knows of it. */
  #isNobody = false;
  #failure: string | undefined;
  readonly #stopped = new AbortController();
  readonly #waiting: Waiting;
  /** Commands and the ends of work, one after the other. */
  #last: Promise<void> = Promise.resolve();
  #fail: (error: unknown) => void = () => undefined;

  constructor(options: MigratableOptions) {
    const { messages, pod, queue, identify = identifyByBody, instance = randomName(), onReport } = options;
    const { timer: wait = timer } = options;
    this.#options = options;
    this.#primary = new PrimaryQueue(queue);
    this.#waiting = { timer: wait, signal: this.#stopped.signal };
    this.#instance = instance;
    const applied = new AppliedMessages(identify, options.apply);
    this.#state = new MovableState({ application: options, applied, log: this.#log });
    this.#reports = new ReportWriter({ messages, pod, instance, timer: wait, ...(onReport && { onReport }) });
    this.#hold = new QueueHold({ messages, primary: this.#primary, pod, timer: wait });
    this.#barriers = new Barriers({ messages, pod, timer: wait, token: options.token ?? randomName() });
    this.#work = new Work({
      messages,
      primary: this.#primary,
      prefetch: PREFETCH,
      applied,
      barriers: this.#barriers,
      isMeant: (barrier) => (barrier.pod ?? pod) === pod && this.#log.isNew(barrier),
      ended: (end) => void this.#next(() => this.#workEnded(end)),
      signal: this.#stopped.signal,
    });
  }

  async start(signal: AbortSignal): Promise<void> {
    const { messages, pod } = this.#options;
    const stop = (): void => this.#stopped.abort();
    if (signal.aborted) return;
    signal.addEventListener('abort', stop, { once: true });
    const failed = new Promise<never>((_resolve, reject) => (this.#fail = reject));
    failed.catch(() => undefined);
    let listening: Promise<void> | undefined;
    let waiting: Promise<void> | undefined;
    try {
      await whileForbidden(() => messages.declareQueue(controlQueue(pod), CONTROL_QUEUE), this.#waiting);
      if (await this.#mayRun()) await this.#work.resume();
      if (!this.#isNobody) await this.#next(() => this.#publish());
      listening = this.#listen();
      waiting = this.#lookWhileWaiting();
      await Promise.race([listening, failed]);
    } finally {
      stop();
      signal.removeEventListener('abort', stop);
      await Promise.allSettled([listening, waiting, this.#work.stop()]);
      await this.#last;
    }
  }

  /** The state and how far it is, for a checkpoint of this process; throws while it is not paused. */
  capture(): Captured {
    this.#requirePaused();
    return this.#state.capture();
  }

  /** Not where it takes over from another process, or was started again in the midst of a migration. */
  async #mayRun(): Promise<boolean> {
    const { restored, startPaused = process.env[RESTORE_MODE] === 'true' } = this.#options;
    const earlier = await whileForbidden(() => this.#reports.open(), this.#waiting);
    this.#barriers.adopt(earlier);
    this.#primary.adopt(earlier);
    if (restored !== undefined) await this.#state.put(capturedOf(restored));
    if (earlier?.handled !== undefined) this.#log.add(earlier.handled);
    if (restored !== undefined || !isToRun(earlier, startPaused)) return false;
    // A source that is started again runs: what it takes is in the mirror, too.
    const mayBeHeld = earlier === undefined || startPaused;
    this.#isWaiting = mayBeHeld && (await whileForbidden(() => this.#hold.isHeld(), this.#waiting));
    this.#isNobody = this.#isWaiting && earlier === undefined;
    return !this.#isWaiting;
  }

  async #listen(): Promise<void> {
    const { messages, pod } = this.#options;
    const { signal } = this.#stopped;
    // A broker that is killed may have forgotten the queue.
    const options = { prefetch: 1, signal, declare: CONTROL_QUEUE } as const;
    for await (const { message, ack } of messages.consume(controlQueue(pod), options)) {
      await this.#next(() => this.#hear(message));
      ack();
    }
  }

  #next(task: () => Promise<void>): Promise<void> {
    // What fails here fails `start`; what comes after must not wait for it.
    this.#last = this.#last.then(task).catch((error: unknown) => this.#fail(error));
    return this.#last;
  }

  async #hear(message: Message): Promise<void> {
    const command = commandOf(message);
    if (command === undefined) return;
    this.#barriers.heard(command);
    await this.#look();
    if (this.#isNobody) return;
    const isMeant = command.type !== 'report' && this.#log.isNew(command) && !this.#isBusy(command);
    if (isMeant) await this.#handle(command);
    await this.#publish();
    await this.#hold.renew();
  }

  /** The queue may be held for a migration that is over, and whoever leads that asks only the pods that it knows. */
  async #lookWhileWaiting(): Promise<void> {
    const { timer: wait, signal } = this.#waiting;
    while (this.#isWaiting) {
      await wait(LOOK_MS, signal);
      if (signal.aborted) return;
      await this.#next(async () => {
        if (!this.#isWaiting) return;
        await this.#look();
        if (!this.#isWaiting) await this.#publish();
      });
    }
  }

  /** Whoever waits begins when it may. */
  async #look(): Promise<void> {
    if (!this.#isWaiting || !(await this.#hold.isFree(this.#stopped.signal))) return;
    this.#endWait();
    await this.#work.resume();
  }

  #endWait(): void {
    this.#isWaiting = false;
    this.#isNobody = false;
  }

  /** Another migration has it, and has not let it go. */
  #isBusy({ type, migration }: FencedCommand): boolean {
    const last = this.#log.fences[0]?.migration ?? migration;
    return last !== migration && type !== 'resume' && this.#work.mode !== 'running';
  }

  async #handle(command: FencedCommand): Promise<void> {
    this.#failure = undefined;
    this.#state.mayChange();
    this.#log.add(command);
    try {
      await this.#carryOut(command);
      this.#endWait();
    } catch (error) {
      if (!(error instanceof MigratableError)) throw error;
      this.#failure = error.message;
    }
  }

  async #carryOut(command: FencedCommand): Promise<void> {
    switch (command.type) {
      case 'pause':
        await this.#work.stop();
        if (command.snapshot === undefined) return;
        await this.#write(command.snapshot);
        return this.#state.handOn(command);
      case 'resume':
        this.#requireInstance(command.instance);
        if (command.lost !== undefined) this.#state.isOld(command.lost);
        if (command.release === true) this.#hold.release();
        this.#primary.assign(command.primary);
        return this.#work.resume();
      case 'follow':
        return this.#work.follow(command);
      case 'snapshot':
        return this.#write(command.queue);
      case 'restore':
        this.#requirePaused();
        this.#primary.assign(command.primary);
        if (command.hold === true) await this.#hold.take(this.#stopped.signal);
        return this.#state.read(command.snapshot, this.#waiting);
    }
  }

  #write(queue: string): Promise<void> {
    this.#requirePaused();
    return this.#state.write(queue, this.#waiting);
  }

  /** At the barrier, at the last mark, or because a message could not be applied. */
  async #workEnded(end: End): Promise<void> {
    if (end.type === 'failed') throw end.error;
    if (end.type === 'barrier') {
      // A later command has come between, and was carried out.
      if (!this.#log.isNew(end.command)) return;
      await this.#handle(end.command);
    } else this.#state.mayChange();
    await this.#publish();
  }

  #requireInstance(wanted: string = this.#instance): void {
    if (wanted !== this.#instance)
      throw new MigratableError('InvalidState', 'the process was started again, and has lost its state');
  }

  #requirePaused(): void {
    const { mode } = this.#work;
    if (mode !== 'paused') throw new MigratableError('InvalidState', `the process is ${mode}, not paused`);
  }

  async #publish(): Promise<void> {
    const { mode } = this.#work;
    const handled = this.#log.fences[0];
    const report = {
      mode,
      token: this.#barriers.token,
      ...this.#primary.facts,
      ...(handled === undefined ? {} : { handled }),
      ...(this.#isWaiting ? { waiting: true } : {}),
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      ...this.#state.facts(mode === 'paused'),
    };
    await this.#reports.write(report, this.#stopped.signal);
  }
}
