import { MigratableError } from './migratable-error.ts';
import type { Messages } from './messages.ts';
import type { PrimaryQueue } from './primary-queue.ts';
import { HOLD_QUEUE, holdQueue, statusQueue } from './protocol.ts';
import { holderOf, holdMessage } from './protocol-messages.ts';
import { type Timer, whileAway, whileForbidden } from './while-away.ts';

export type QueueHoldOptions = {
  readonly messages: Messages;
  readonly primary: PrimaryQueue;
  readonly pod: string;
  readonly timer: Timer;
};

/**
 * Keeps a process that begins without a state off a primary queue whose state another one has, or an earlier process of its own
 * pod had. That it is consumed exclusively is not enough: the other may lose its connection, and whoever is first then takes
 * messages that its state will lack.
 */
export class QueueHold {
  readonly #messages: Messages;
  readonly #primary: PrimaryQueue;
  readonly #pod: string;
  readonly #timer: Timer;
  #isTaken = false;

  constructor({ messages, primary, pod, timer }: QueueHoldOptions) {
    this.#messages = messages;
    this.#primary = primary;
    this.#pod = pod;
    this.#timer = timer;
  }

  /** For this pod, until its status queue is gone. */
  async take(signal: AbortSignal): Promise<void> {
    await whileForbidden(() => this.#write(), { timer: this.#timer, signal });
    this.#isTaken = true;
  }

  /** It is not renewed any more: who has taken it deletes it, or it expires. */
  release(): void {
    this.#isTaken = false;
  }

  /** Where it was taken, it does not expire; a late call of an earlier migration may have deleted it. */
  async renew(): Promise<void> {
    if (!this.#isTaken) return;
    await ifReached(async () => {
      await this.#declare();
      if ((await this.#messages.peek(holdQueue(this.#primary.name))) === undefined) await this.#write();
    });
  }

  async #write(): Promise<void> {
    const queue = holdQueue(this.#primary.name);
    await this.#declare();
    if ((await this.#messages.send(queue, holdMessage(this.#pod))) === 'unroutable')
      throw new MigratableError('Unavailable', `queue ${queue} is gone`);
  }

  /** Whether a pod has it, be it this one, and was not given up yet. */
  async isHeld(): Promise<boolean> {
    const hold = await this.#messages.peek(holdQueue(this.#primary.name));
    const holder = hold === undefined ? undefined : holderOf(hold);
    return holder !== undefined && (await this.#messages.peek(statusQueue(holder))) !== undefined;
  }

  /** Resolves when the broker says whether it is held, or `signal` is aborted: nobody may ask again later. */
  async isFree(signal: AbortSignal): Promise<boolean> {
    const isHeld = await whileAway(() => this.isHeld(), { timer: this.#timer, signal });
    return isHeld === false;
  }

  #declare(): Promise<void> {
    return this.#messages.declareQueue(holdQueue(this.#primary.name), HOLD_QUEUE);
  }
}

/** Undefined where the broker is away, or forbids it. */
async function ifReached<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof MigratableError && error.retryable) return undefined;
    throw error;
  }
}
