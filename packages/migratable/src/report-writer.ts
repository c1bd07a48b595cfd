import type { Messages } from './messages.ts';
import { QUEUE_EXPIRES_MS, type Report, statusQueue } from './protocol.ts';
import { reportOf } from './protocol-messages.ts';
import { type Timer, whileAway } from './while-away.ts';

export type ReportWriterOptions = {
  readonly messages: Messages;
  readonly pod: string;
  readonly instance: string;
  readonly timer: Timer;
  readonly onReport?: (report: Report) => void;
};

/** Keeps the last report of a process in the status queue of its pod. */
export class ReportWriter {
  readonly #options: ReportWriterOptions;
  #number = 0;

  constructor(options: ReportWriterOptions) {
    this.#options = options;
  }

  /** Declares the queue. The last report of an earlier process of this pod, if there was one. */
  async open(): Promise<Report | undefined> {
    await this.#declare();
    const message = await this.#options.messages.peek(statusQueue(this.#options.pod));
    return message === undefined ? undefined : reportOf(message);
  }

  /** Resolves when the broker has it, or `signal` is aborted: a broker that is away, or forbids it, is waited for. */
  async write(facts: Omit<Report, 'pod' | 'instance' | 'number'>, signal: AbortSignal): Promise<void> {
    const { messages, pod, instance, timer, onReport } = this.#options;
    this.#number += 1;
    const report = { pod, instance, number: this.#number, ...facts };
    const send = async (): Promise<boolean> => {
      const sent = await messages.send(statusQueue(pod), { body: report });
      if (sent === 'unroutable') await this.#declare();
      return sent === 'sent';
    };
    let isSent: boolean | undefined = false;
    while (isSent === false) isSent = await whileAway(send, { timer, signal });
    if (isSent === true) onReport?.(report);
  }

  /** It may have expired since. */
  #declare(): Promise<void> {
    const { messages, pod } = this.#options;
    return messages.declareQueue(statusQueue(pod), { maxLength: 1, expiresMs: QUEUE_EXPIRES_MS });
  }
}
