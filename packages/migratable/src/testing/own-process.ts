import { onTestFinished } from 'vitest';
import type { Messages } from '../messages.ts';
import { Migratable, type MigratableOptions } from '../migratable.ts';
import { timer } from '../timer.ts';
import { CommandedProcess, unique } from './commanded-process.ts';

export type State = { applied: number[]; sum: number };
/** It looks only when it is asked. */
export const forGood = (_ms: number, signal: AbortSignal): Promise<void> => timer(2 ** 30, signal);

/** One process of this library: its state is which numbers it applied, in their order. */
export class Process extends CommandedProcess {
  readonly #stop = new AbortController();
  readonly ended: Promise<void>;
  readonly app: Migratable;
  state: State = { applied: [], sum: 0 };
  /** What happens within the application of a message. */
  during: (seq: number) => Promise<void> = async () => undefined;

  constructor(messages: Messages, queue: string, options: Partial<MigratableOptions> = {}) {
    super(messages, options.pod ?? unique('pod'));
    this.app = new Migratable({
      queue,
      messages,
      pod: this.pod,
      apply: async ({ body }) => {
        const { seq } = body as { readonly seq: number };
        await this.during(seq);
        this.state.applied.push(seq);
        this.state.sum += seq;
      },
      snapshot: () => this.state,
      restore: (state) => void (this.state = structuredClone(state) as State),
      ...options,
    });
    this.ended = this.app.start(this.#stop.signal);
    this.ended.catch(() => undefined);
    onTestFinished(() => this.stop().catch(() => undefined));
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.ended;
  }
}
