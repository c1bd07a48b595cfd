import type { AppliedMessages } from './applied-messages.ts';
import { MigratableError } from './migratable-error.ts';
import type { Message, Messages } from './messages.ts';
import type { Barriers } from './barriers.ts';
import type { PrimaryQueue } from './primary-queue.ts';
import type { Barrier, FencedCommand, Mode, Watermarks } from './protocol.ts';

/** Why it stopped by itself. */
export type End =
  | { readonly type: 'barrier'; readonly command: Barrier }
  /** It is as far as the last marks. */
  | { readonly type: 'reached' }
  | { readonly type: 'failed'; readonly error: unknown };

export type WorkOptions = {
  readonly messages: Messages;
  readonly primary: PrimaryQueue;
  readonly prefetch: number;
  readonly applied: AppliedMessages;
  readonly barriers: Barriers;
  /** Whether a barrier is to stop it, or is one of a migration that has gone on, or of another pod. */
  readonly isMeant: (barrier: Barrier) => boolean;
  readonly ended: (end: End) => void;
  /** Stops it for good, after the message in hand. */
  readonly signal: AbortSignal;
};

type Loop = { readonly stop: AbortController; readonly ended: Promise<void> };

/** How far the mirror may be applied. */
type Limit = { readonly queue: string; readonly upTo: Watermarks | undefined; readonly final: boolean };

/** Consumes one queue at a time, message by message: the primary, or a mirror of it up to a limit. */
export class Work {
  readonly #options: WorkOptions;
  #mode: Mode = 'paused';
  #loop: Loop | undefined;
  /** It stops by itself, and may have to give messages back still. */
  #isEnding = false;
  #limit: Limit | undefined;
  #limitChanged: () => void = () => undefined;
  #wake: () => void = () => undefined;

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  /** `paused` only when no message is in hand and all others are back in their queue. */
  get mode(): Mode {
    return this.#mode;
  }

  async resume(): Promise<void> {
    if (this.#mode === 'running' && !this.#isEnding) return;
    await this.stop();
    this.#mode = 'running';
    this.#start((signal) => this.#run(signal));
  }

  /** Resolves after the message in hand. */
  async stop(): Promise<void> {
    this.#loop?.stop.abort();
    await this.#loop?.ended;
    this.#pause();
  }

  async follow(limit: Extract<FencedCommand, { type: 'follow' }>): Promise<void> {
    if (this.#mode === 'running')
      throw new MigratableError('InvalidState', 'the process is running: it follows nobody');
    const isGoingOn = !this.#isEnding && this.#limit?.queue === limit.queue;
    if (!isGoingOn) await this.stop();
    this.#limit = { queue: limit.queue, upTo: limit.upTo, final: limit.final === true };
    this.#limitChanged();
    if (isGoingOn) return;
    this.#mode = 'following';
    this.#start((signal) => this.#follow(limit.queue, signal));
  }

  #start(run: (signal: AbortSignal) => Promise<End | undefined>): void {
    const stop = new AbortController();
    const ended = run(AbortSignal.any([stop.signal, this.#options.signal]))
      .catch((error: unknown): End => ({ type: 'failed', error }))
      .then((end) => {
        if (end === undefined) return;
        this.#pause();
        this.#options.ended(end);
      });
    this.#loop = { stop, ended };
  }

  #pause(): void {
    this.#mode = 'paused';
    this.#loop = undefined;
    this.#limit = undefined;
    this.#isEnding = false;
    this.#limitChanged = () => undefined;
  }

  async #run(signal: AbortSignal): Promise<End | undefined> {
    const { messages, primary, prefetch, applied, barriers, isMeant } = this.#options;
    for await (const { message, ack } of messages.consume(primary.name, {
      prefetch,
      exclusive: true,
      signal,
    })) {
      const barrier = await barriers.in(message, signal);
      // What is in hand now goes back into the queue.
      if (signal.aborted) break;
      if (barrier === undefined) await applied.apply(message);
      ack();
      if (barrier !== undefined && isMeant(barrier)) return this.#atBarrier(barrier);
    }
    return undefined;
  }

  #atBarrier(command: Barrier): End {
    this.#isEnding = true;
    return { type: 'barrier', command };
  }

  async #follow(queue: string, signal: AbortSignal): Promise<End | undefined> {
    const { messages, prefetch, applied, barriers, isMeant } = this.#options;
    const reached = new AbortController();
    const stop = AbortSignal.any([signal, reached.signal]);
    const look = (): void => {
      this.#isEnding = this.#isReached();
      if (this.#isEnding) reached.abort();
      this.#wake();
    };
    stop.addEventListener('abort', () => this.#wake(), { once: true });
    this.#limitChanged = look;
    look();
    for await (const { message, ack } of messages.consume(queue, { prefetch, signal: stop })) {
      const barrier = await barriers.in(message, stop);
      const isApplied = barrier === undefined && (await this.#isUpToLimit(message, stop));
      // What is in hand now goes back into the queue.
      if (stop.aborted) break;
      if (isApplied) await applied.apply(message);
      ack();
      if (barrier !== undefined && isMeant(barrier)) return this.#atBarrier(barrier);
      look();
    }
    return signal.aborted ? undefined : { type: 'reached' };
  }

  /** Waits while it is held back. */
  async #isUpToLimit(message: Message, stop: AbortSignal): Promise<boolean> {
    while (this.#isHeldBack(message) && !stop.aborted) await this.#change();
    return !this.#isBeyond(message);
  }

  /** All is applied that ever may be. */
  #isReached(): boolean {
    const { final = false, upTo } = this.#limit ?? {};
    return final && upTo !== undefined && this.#options.applied.hasReached(upTo);
  }

  #isBeyond(message: Message): boolean {
    const { upTo } = this.#limit ?? {};
    return upTo !== undefined && this.#options.applied.isBeyond(message, upTo);
  }

  /** What is beyond the last marks is thrown away: it is in the primary queue still. */
  #isHeldBack(message: Message): boolean {
    return this.#isBeyond(message) && this.#limit?.final !== true;
  }

  /** The limit is another one, or it has to stop. */
  #change(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
