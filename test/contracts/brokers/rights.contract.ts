import { type Messages, MigratableError, snapshotQueue } from '@kubewright/migratable';
import { describe, expect, test } from 'vitest';
import {
  CommandedProcess,
  type MessagesUnderTest,
  Operator,
  unique,
} from '../../../packages/migratable/src/testing/commanded-process.ts';
import { Process } from '../../../packages/migratable/src/testing/own-process.ts';

export type RightsUnderTest = {
  /** Of the operator, who has all rights. */
  readonly under: MessagesUnderTest;
  /** Of the application. */
  readonly messages: Messages;
  /** The application has no rights but to what it consumes; or it has all of them again. */
  readonly forbid: (isForbidden: boolean) => Promise<void>;
};

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Registers that rights which are away for a moment are waited for. */
export function rightsContract(rights: () => RightsUnderTest): void {
  /** The same; counts what is forbidden. */
  function counting(messages: Messages): Messages & { refused: number } {
    const counted = async <T>(call: Promise<T>): Promise<T> => {
      try {
        return await call;
      } catch (error) {
        if (error instanceof MigratableError && error.code === 'Forbidden') seen.refused += 1;
        throw error;
      }
    };
    const seen: Messages & { refused: number } = {
      refused: 0,
      declareQueue: (...args) => counted(messages.declareQueue(...args)),
      send: (...args) => counted(messages.send(...args)),
      peek: (...args) => counted(messages.peek(...args)),
      consume: (...args) => messages.consume(...args),
    };
    return seen;
  }

  async function primary() {
    const { under, messages, forbid } = rights();
    const queue = unique('guarded');
    await under.declarePrimary(queue);
    const publish = (from: number, to: number): Promise<void> =>
      under.publish(
        queue,
        range(from, to).map((seq) => ({ body: { seq } })),
      );
    return { under, queue, publish, forbid, app: counting(messages), operator: new Operator() };
  }

  /** Until the application has met the rejection more than once. */
  const met = (app: { readonly refused: number }): Promise<void> =>
    expect.poll(() => app.refused).toBeGreaterThan(1);

  describe('MIG-78: rights that are away for a moment', () => {
    test('the process that takes over waits for them, and has each message once', async () => {
      const { under, queue, publish, forbid, app, operator } = await primary();
      const source = new Process(app, queue);
      await publish(1, 50);
      const { mirror, snapshot } = await operator.snapshotOf(under, source, queue);
      const target = new Process(app, queue, { startPaused: true });
      await operator.do(target, { type: 'restore', snapshot, hold: true }, { mode: 'paused' });
      const { watermarks: upTo } = await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      await operator.do(target, { type: 'follow', queue: mirror, upTo, final: true }, { mode: 'paused' });
      await forbid(true);
      const resume = operator.fence();
      await new CommandedProcess(under.messages, target.pod).command(resume, { type: 'resume' });
      await met(app);
      await publish(51, 80);
      await forbid(false);
      await target.expectReport({ mode: 'running', handled: resume, watermarks: { '': 80 }, gaps: 0 });
      expect(target.state.applied).toEqual(range(1, 80));
    });

    test('a snapshot waits for them', async () => {
      const { under, queue, publish, forbid, app, operator } = await primary();
      const source = new Process(app, queue);
      await publish(1, 5);
      await source.expectReport({ watermarks: { '': 5 } });
      await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      const into = snapshotQueue(operator.migration, { epoch: 1, step: 2 });
      await under.messages.declareQueue(into);
      await forbid(true);
      const fence = operator.fence();
      await new CommandedProcess(under.messages, source.pod).command(fence, {
        type: 'snapshot',
        queue: into,
      });
      await met(app);
      await forbid(false);
      const { failure, snapshot } = await source.expectReport({ handled: fence });
      expect({ failure, snapshot }).toMatchObject({
        failure: undefined,
        snapshot: { queue: into, chunks: 1 },
      });
    });

    test('a process that starts waits for them', async () => {
      const { queue, publish, forbid, app } = await primary();
      await publish(1, 5);
      await forbid(true);
      const source = new Process(app, queue);
      await met(app);
      await forbid(false);
      await source.expectReport({ mode: 'running', watermarks: { '': 5 } });
    });
  });

  describe('MIG-79: a state that is older than one that was lost', () => {
    test('the process is told before it goes on, and so is who looks at its reports, also after it has moved', async () => {
      const { under, queue, publish, app, operator } = await primary();
      const told: string[] = [];
      const source = new Process(app, queue, { onStateLost: (reason) => void told.push(reason) });
      await publish(1, 5);
      await source.expectReport({ watermarks: { '': 5 } });
      await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      expect(told).toEqual([]);
      await operator.do(
        source,
        { type: 'resume', lost: 'pod b is gone' },
        { mode: 'running', lost: 'pod b is gone' },
      );
      expect(told).toEqual(['pod b is gone']);
      const next = new Operator();
      const { snapshot } = await next.snapshotOf(under, source, queue);
      const target = new Process(app, queue, { startPaused: true });
      await next.do(target, { type: 'restore', snapshot }, { mode: 'paused', lost: 'pod b is gone' });
    });
  });
}
