import type { Message, Messages } from './messages.ts';
import { type Barrier, type Command, type Report, statusQueue } from './protocol.ts';
import { barrierOf, reportOf } from './protocol-messages.ts';
import { type Timer, whileAway } from './while-away.ts';

export type BarriersOptions = {
  readonly messages: Messages;
  readonly pod: string;
  readonly timer: Timer;
  /** Of this process, until {@link Barriers.adopt}. */
  readonly token: string;
};

/**
 * Tells barriers of an operator from messages of the application that look like one: whoever may publish can copy a header and a
 * body. A barrier carries the token that is in the report of the pod to which it is addressed, and only who may read status
 * queues knows it. Everything else is the application's.
 */
export class Barriers {
  readonly #options: BarriersOptions;
  #token: string;
  /** The operator is one of before, which knows no tokens. */
  #isTrusting = false;

  constructor(options: BarriersOptions) {
    this.#options = options;
    this.#token = options.token;
  }

  get token(): string {
    return this.#token;
  }

  /** The token of an earlier process of this pod: a barrier to it may be in the queue still. */
  adopt(earlier: Report | undefined): void {
    this.#token = earlier?.token ?? this.#token;
  }

  /** An operator of before is known by how it requests reports, in the control queue, which the application's producers do not have. */
  heard(command: Command): void {
    if (command.type === 'report') this.#isTrusting = command.tokens !== true;
  }

  /**
   * The barrier that a message is; undefined: it is the application's. One for a pod that is gone is known by the report that the
   * pod has left. A broker that is away is waited for; undefined too when `signal` is aborted meanwhile.
   */
  async in(message: Message, signal: AbortSignal): Promise<Barrier | undefined> {
    const barrier = barrierOf(message);
    if (barrier === undefined) return undefined;
    const { pod = this.#options.pod, token } = barrier;
    if (token === undefined) return this.#isTrusting ? barrier : undefined;
    if (token === this.#token) return barrier;
    const left = pod === this.#options.pod ? undefined : await this.#leftBy(pod, signal);
    return token === left ? barrier : undefined;
  }

  async #leftBy(pod: string, signal: AbortSignal): Promise<string | undefined> {
    const { messages, timer } = this.#options;
    const left = await whileAway(() => messages.peek(statusQueue(pod)), { timer, signal });
    return left === undefined ? undefined : reportOf(left)?.token;
  }
}
