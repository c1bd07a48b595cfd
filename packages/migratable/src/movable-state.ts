import type { AppliedMessages, Counts } from './applied-messages.ts';
import type { CommandLog } from './command-log.ts';
import type { Messages } from './messages.ts';
import type { Report, SnapshotFacts } from './protocol.ts';
import { type Captured, digestOf, readSnapshot, writeSnapshot } from './read-snapshot.ts';
import type { Waiting } from './while-away.ts';

export type MovableStateOptions = {
  /** See `MigratableOptions`. */
  readonly application: {
    readonly messages: Messages;
    readonly snapshot: () => unknown;
    readonly restore: (state: unknown) => void | Promise<void>;
    readonly onStateLost?: (reason: string) => void;
  };
  readonly applied: AppliedMessages;
  readonly log: CommandLog;
};

/** What moves from one process to another: the application's own state, how far it is, and which commands it has seen. */
export class MovableState {
  readonly #options: MovableStateOptions;
  #snapshot: SnapshotFacts | undefined;
  #lost: string | undefined;
  /** Of the state as it is while nothing is commanded. */
  #digest: string | undefined;

  constructor(options: MovableStateOptions) {
    this.#options = options;
  }

  /** Only while no message is being applied. */
  capture(): Captured {
    const { application, applied, log } = this.#options;
    const { watermarks, missing } = applied;
    return {
      state: application.snapshot(),
      watermarks,
      ...(Object.keys(missing).length === 0 ? {} : { missing }),
      handled: log.fences,
      ...(this.#lost !== undefined && { lost: this.#lost }),
    };
  }

  /** In the place of the present one. */
  async put({ state, watermarks, missing = {}, handled, lost }: Captured): Promise<void> {
    const { application, applied, log } = this.#options;
    await application.restore(state);
    this.#lost = lost;
    applied.watermarks = watermarks;
    applied.missing = missing;
    log.inherit(handled);
  }

  async write(queue: string, waiting: Waiting): Promise<void> {
    const { messages } = this.#options.application;
    this.#snapshot = await writeSnapshot(messages, queue, this.capture(), waiting);
  }

  async read(snapshot: SnapshotFacts, waiting: Waiting): Promise<void> {
    await this.put(await readSnapshot(this.#options.application.messages, snapshot, waiting));
  }

  /** A later one was lost, for this reason. */
  isOld(reason: string): void {
    const { onStateLost = warnOfLoss } = this.#options.application;
    this.#lost = reason;
    onStateLost(reason);
  }

  mayChange(): void {
    this.#digest = undefined;
  }

  /** For the report. */
  facts(isPaused: boolean): Pick<Report, 'watermarks' | 'lost' | 'digest' | 'snapshot'> & Counts {
    const { watermarks, counts } = this.#options.applied;
    return {
      ...(this.#lost === undefined ? {} : { lost: this.#lost }),
      watermarks,
      ...counts,
      ...(isPaused ? { digest: (this.#digest ??= digestOf(this.capture())) } : {}),
      ...(this.#snapshot === undefined ? {} : { snapshot: this.#snapshot }),
    };
  }
}

function warnOfLoss(reason: string): void {
  process.emitWarning(`the state is an old one, a later one was lost: ${reason}`, 'StateLost');
}
