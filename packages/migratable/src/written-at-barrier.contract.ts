import { describe, expect, test } from 'vitest';
import { snapshotQueue } from './protocol.ts';
import { type MessagesUnderTest, Operator, unique } from './testing/commanded-process.ts';
import { Process } from './testing/own-process.ts';

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Registers that a process writes its state where a barrier stops it, without another command. */
export function writtenAtBarrierContract(under: () => MessagesUnderTest): void {
  describe('MIG-84: a barrier that names a queue for the state', () => {
    /** The queue, a source that has applied 20 messages, the barrier behind them, and 20 more. */
    async function stopped(isDeclared: boolean) {
      const queue = unique('primary');
      await under().declarePrimary(queue);
      const publish = (from: number, to: number): Promise<void> =>
        under().publish(
          queue,
          range(from, to).map((seq) => ({ body: { seq } })),
        );
      const operator = new Operator();
      const into = snapshotQueue(operator.migration, { epoch: 1, step: 2 });
      if (isDeclared) await under().messages.declareQueue(into);
      const source = new Process(under().messages, queue);
      await publish(1, 20);
      const fence = operator.fence();
      await under().messages.send(queue, await source.barrier(fence, { snapshot: into }));
      await publish(21, 40);
      const report = await source.expectReport({ mode: 'paused', handled: fence, watermarks: { '': 20 } });
      return { queue, into, operator, source, report, publish };
    }

    test('the state is there as the process was, which stands still: the target goes on with what is behind', async () => {
      const { queue, into, operator, source, report, publish } = await stopped(true);
      const { snapshot, digest } = report;
      expect(snapshot).toMatchObject({ queue: into, chunks: 1 });
      const target = new Process(under().messages, queue, { startPaused: true });
      if (snapshot === undefined) throw new TypeError('no snapshot');
      await operator.do(target, { type: 'restore', snapshot, hold: true }, { mode: 'paused', digest });
      await operator.do(target, { type: 'resume' }, { mode: 'running' });
      await publish(41, 50);
      await target.expectReport({ watermarks: { '': 50 }, gaps: 0, duplicates: 0 });
      expect(target.state.applied).toEqual(range(1, 50));
      expect(source.state.applied).toEqual(range(1, 20));
    });

    test('the process that waits for the state gets it from the source, without another command', async () => {
      const queue = unique('primary');
      await under().declarePrimary(queue);
      const operator = new Operator();
      const into = snapshotQueue(operator.migration, { epoch: 1, step: 2 });
      await under().messages.declareQueue(into);
      const source = new Process(under().messages, queue);
      const target = new Process(under().messages, `${queue}-of-target`, { startPaused: true });
      await target.expectReport({ mode: 'paused' });
      await under().publish(
        queue,
        range(1, 20).map((seq) => ({ body: { seq } })),
      );
      const fence = operator.fence();
      const successor = { pod: target.pod, step: 1, hold: true, primary: queue };
      await under().messages.send(queue, await source.barrier(fence, { snapshot: into, successor }));
      const { digest } = await source.expectReport({ mode: 'paused', successor: target.pod });
      await target.expectReport({ mode: 'paused', handled: { ...fence, step: 1 }, digest, queue });
      await operator.do(source, { type: 'resume' }, { mode: 'running' });
      expect(await source.report()).not.toHaveProperty('successor');
      expect(target.state.applied).toEqual(range(1, 20));
    });

    test('a process that is not there does not keep it from standing still, and from reporting where its state is', async () => {
      const queue = unique('primary');
      await under().declarePrimary(queue);
      const operator = new Operator();
      const into = snapshotQueue(operator.migration, { epoch: 1, step: 2 });
      await under().messages.declareQueue(into);
      const source = new Process(under().messages, queue);
      const successor = { pod: unique('gone'), step: 1 };
      const fence = operator.fence();
      await under().messages.send(queue, await source.barrier(fence, { snapshot: into, successor }));
      const report = await source.expectReport({ mode: 'paused', handled: fence });
      expect(report).toMatchObject({ snapshot: { queue: into, chunks: 1 } });
      expect(report).not.toHaveProperty('successor');
      expect(report).not.toHaveProperty('failure');
    });

    test('a queue that is missing is reported, and the process stands still until it is resumed', async () => {
      const { into, operator, source, report } = await stopped(false);
      expect(report).toMatchObject({ failure: `there is no queue ${into}` });
      expect(report).not.toHaveProperty('snapshot');
      await operator.do(source, { type: 'resume' }, { mode: 'running', watermarks: { '': 40 } });
      expect(source.state.applied).toEqual(range(1, 40));
    });
  });
}
