import { MigratableError } from './migratable-error.ts';
import type { Messages } from './messages.ts';
import { holderOf, holdQueue, statusQueue } from './protocol.ts';
import { QUEUE_EXPIRES_MS } from './report-writer.ts';

/**
 * Keeps a process that begins without a state off a primary queue whose state another one has. That it is consumed exclusively
 * is not enough: the other may lose its connection, and whoever is first then takes messages that its state will lack.
 */
export class QueueHold {
  readonly #messages: Messages;
  readonly #primary: string;
  readonly #pod: string;
  #isTaken = false;

  constructor(messages: Messages, primary: string, pod: string) {
    this.#messages = messages;
    this.#primary = primary;
    this.#pod = pod;
  }

  /** For this pod, until its status queue is gone. */
  async take(): Promise<void> {
    await this.#write();
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
      if ((await this.#messages.peek(holdQueue(this.#primary))) === undefined) await this.#write();
    });
  }

  async #write(): Promise<void> {
    const queue = holdQueue(this.#primary);
    await this.#declare();
    if ((await this.#messages.send(queue, { body: { pod: this.#pod } })) === 'unroutable')
      throw new MigratableError('Unavailable', `queue ${queue} is gone`);
  }

  /** Whether another pod has it, which was not given up yet. */
  async isOthers(): Promise<boolean> {
    const hold = await this.#messages.peek(holdQueue(this.#primary));
    const holder = hold === undefined ? undefined : holderOf(hold);
    if (holder === undefined || holder === this.#pod) return false;
    return (await this.#messages.peek(statusQueue(holder))) !== undefined;
  }

  /** As `isOthers`; where the broker is away nobody knows. */
  async isFree(): Promise<boolean> {
    return (await ifReached(() => this.isOthers())) === false;
  }

  #declare(): Promise<void> {
    return this.#messages.declareQueue(holdQueue(this.#primary), {
      maxLength: 1,
      expiresMs: QUEUE_EXPIRES_MS,
    });
  }
}

/** Undefined where the broker is away: whoever asked asks again. */
async function ifReached<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof MigratableError && error.retryable) return undefined;
    throw error;
  }
}
