import type { AppliedMessages, Counts } from './applied-messages.ts';
import type { CommandLog } from './command-log.ts';
import type { Messages } from './messages.ts';
import { MigratableError } from './migratable-error.ts';
import { type Barrier, controlQueue, type Report, type SnapshotFacts } from './protocol.ts';
import { commandMessage } from './protocol-messages.ts';
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

type Facts = 'watermarks' | 'lost' | 'digest' | 'snapshot' | 'successor';

/** What moves from one process to another: the application's own state, how far it is, and which commands it has seen. */
export class MovableState {
  readonly #options: MovableStateOptions;
  #snapshot: SnapshotFacts | undefined;
  #successor: string | undefined;
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

  /** Has another process restore what was written, so that nobody has to see first that it was. Whoever commands does it else. */
  async handOn({ migration, epoch, successor }: Barrier): Promise<void> {
    const snapshot = this.#snapshot;
    if (successor === undefined || snapshot === undefined) return;
    const { pod, ...rest } = successor;
    const command = commandMessage({ type: 'restore', migration, epoch, snapshot, ...rest });
    try {
      const sent = await this.#options.application.messages.send(controlQueue(pod), command);
      if (sent === 'sent') this.#successor = pod;
    } catch (error) {
      if (!(error instanceof MigratableError)) throw error;
    }
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
    this.#successor = undefined;
  }

  /** For the report. */
  facts(isPaused: boolean): Pick<Report, Facts> & Counts {
    const { watermarks, counts } = this.#options.applied;
    return {
      ...(this.#lost === undefined ? {} : { lost: this.#lost }),
      watermarks,
      ...counts,
      ...(isPaused ? { digest: (this.#digest ??= digestOf(this.capture())) } : {}),
      ...(this.#snapshot === undefined ? {} : { snapshot: this.#snapshot }),
      ...(this.#successor === undefined ? {} : { successor: this.#successor }),
    };
  }
}

function warnOfLoss(reason: string): void {
  process.emitWarning(`the state is an old one, a later one was lost: ${reason}`, 'StateLost');
}
