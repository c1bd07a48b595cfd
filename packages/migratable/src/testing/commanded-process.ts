import { expect } from 'vitest';
import type { Message, Messages } from '../messages.ts';
import {
  type Barrier,
  controlQueue,
  type Fence,
  type FencedCommand,
  mirrorQueue,
  type Report,
  type SnapshotFacts,
  snapshotQueue,
  statusQueue,
} from '../protocol.ts';
import { commandMessage, reportOf } from '../protocol-messages.ts';

/** Messages, and what an operator does beside. */
export type MessagesUnderTest = {
  readonly messages: Messages;
  readonly declarePrimary: (queue: string) => Promise<void>;
  /** A mirror gets what the primary gets from now on. */
  readonly mirror: (primary: string, mirror: string) => Promise<void>;
  /** Into the primary, and its mirrors. */
  readonly publish: (primary: string, messages: readonly Message[]) => Promise<void>;
  readonly ready: (queue: string) => Promise<number | undefined>;
  readonly deleteQueue: (queue: string) => Promise<void>;
  /** Every connection breaks. */
  readonly disconnect: () => Promise<void>;
};

/** What a command is apart from its fence. */
type Bare<C = FencedCommand> = C extends FencedCommand ? Omit<C, keyof Fence> : never;

let names = 0;
export const unique = (what: string): string => `${what}-${(names += 1)}`;

/** An application as an operator knows it, in whatever process it is. */
export class CommandedProcess {
  readonly pod: string;
  readonly #messages: Messages;

  constructor(messages: Messages, pod: string) {
    this.pod = pod;
    this.#messages = messages;
  }

  async command(fence: Fence, command: Bare): Promise<void> {
    await this.send(commandMessage({ ...fence, ...command }));
  }

  async send(message: Message): Promise<void> {
    await expect.poll(() => this.#messages.send(controlQueue(this.pod), message)).toBe('sent');
  }

  async report(): Promise<Report | undefined> {
    const message = await this.#messages.peek(statusQueue(this.pod));
    return message === undefined ? undefined : reportOf(message);
  }

  /** For a queue of the application's messages: what only who reads the report of the pod can write, which may be gone. */
  async barrier(fence: Fence, written: Pick<Barrier, 'snapshot' | 'successor'> = {}): Promise<Message> {
    await expect.poll(() => this.report()).toBeDefined();
    const { token } = (await this.report()) as Report;
    const more = token === undefined ? {} : { token };
    return commandMessage({ ...fence, type: 'pause', pod: this.pod, ...more, ...written });
  }

  /** Asks for a new one each time. */
  async expectReport(expected: object): Promise<Report> {
    await expect
      .poll(async () => {
        await this.send(commandMessage({ type: 'report', tokens: true }));
        return await this.report();
      })
      .toMatchObject(expected);
    return (await this.report()) as Report;
  }
}

/** One migration: numbers its commands. */
export class Operator {
  /** Names of queues begin with so much of it. */
  readonly migration: string = `${unique('m')}-0000000`;
  epoch = 1;
  #step = 0;

  fence(): Fence {
    this.#step += 1;
    return { migration: this.migration, epoch: this.epoch, step: this.#step };
  }

  async do(process: CommandedProcess, command: Bare, expected: object = {}): Promise<Report> {
    const fence = this.fence();
    await process.command(fence, command);
    return await process.expectReport({ handled: fence, ...expected });
  }

  /** Source paused at the barrier, its snapshot in a queue, and gone on. */
  async snapshotOf(
    { messages, mirror: bind }: Pick<MessagesUnderTest, 'messages' | 'mirror'>,
    source: CommandedProcess,
    queue: string,
  ): Promise<{
    readonly mirror: string;
    readonly snapshot: SnapshotFacts;
    readonly digest: string | undefined;
  }> {
    const mirror = mirrorQueue(queue, this.migration, this.epoch);
    await messages.declareQueue(mirror);
    await bind(queue, mirror);
    const barrier = this.fence();
    await messages.send(queue, await source.barrier(barrier));
    const { digest } = await source.expectReport({ mode: 'paused', handled: barrier });
    const into = snapshotQueue(this.migration, { epoch: this.epoch, step: 99 });
    await messages.declareQueue(into);
    const { snapshot } = await this.do(source, { type: 'snapshot', queue: into }, { mode: 'paused' });
    await this.do(source, { type: 'resume' }, { mode: 'running' });
    return { mirror, snapshot: snapshot as SnapshotFacts, digest };
  }
}

/** It obeys commands, and passes over those that come twice, late, or from an older epoch. */
export async function expectFenced(process: CommandedProcess): Promise<void> {
  const operator = new Operator();
  await operator.do(process, { type: 'pause' }, { mode: 'paused', digest: expect.any(String) as string });
  const resumed = operator.fence();
  await process.command(resumed, { type: 'resume' });
  await process.expectReport({ mode: 'running', handled: resumed });
  for (const late of [{ step: 1 }, { step: resumed.step }, { epoch: 0, step: 1000 }]) {
    await process.command({ ...resumed, ...late }, { type: 'pause' });
    await process.expectReport({ mode: 'running', handled: resumed });
  }
  await process.command({ ...resumed, epoch: 2, step: 1 }, { type: 'pause' });
  await process.expectReport({ mode: 'paused', handled: { epoch: 2, step: 1 } });
}
