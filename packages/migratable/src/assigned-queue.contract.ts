import { describe, expect, test } from 'vitest';
import { holdQueue } from './protocol.ts';
import { type MessagesUnderTest, Operator, unique } from './testing/commanded-process.ts';
import { Process } from './testing/own-process.ts';

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Registers that a process goes on with the queue of which its state is, whatever queue it is configured with. */
export function assignedQueueContract(under: () => MessagesUnderTest): void {
  describe('MIG-80: a process that is configured with a queue named after its own pod', () => {
    async function moved() {
      const [queue, own] = [unique('primary'), unique('own')];
      for (const one of [queue, own]) await under().declarePrimary(one);
      const publish = (from: number, to: number): Promise<void> =>
        under().publish(
          queue,
          range(from, to).map((seq) => ({ body: { seq } })),
        );
      await publish(1, 20);
      const source = new Process(under().messages, queue);
      const operator = new Operator();
      const { mirror, snapshot } = await operator.snapshotOf(under(), source, queue);
      const target = new Process(under().messages, own, { startPaused: true });
      const restore = { type: 'restore', snapshot, hold: true, primary: queue } as const;
      await operator.do(target, restore, { mode: 'paused', queue, assigned: true });
      const { watermarks: upTo } = await operator.do(source, { type: 'pause' }, { mode: 'paused', queue });
      await operator.do(target, { type: 'follow', queue: mirror, upTo, final: true }, { mode: 'paused' });
      await operator.do(target, { type: 'resume', primary: queue }, { mode: 'running', queue });
      return { queue, own, publish, source, target };
    }

    test('consumes the queue that the command names, holds it, and reports what it reads', async () => {
      const { queue, own, publish, target } = await moved();
      await publish(21, 40);
      await target.expectReport({ watermarks: { '': 40 }, queue, assigned: true });
      expect(target.state.applied).toEqual(range(1, 40));
      expect(await under().messages.peek(holdQueue(queue))).toMatchObject({ body: { pod: target.pod } });
      expect(await under().messages.peek(holdQueue(own))).toBeUndefined();
    });

    test('started again in the same pod it consumes that one, too', async () => {
      const { queue, own, publish, target } = await moved();
      await target.stop();
      await publish(21, 40);
      const again = new Process(under().messages, own, { pod: target.pod });
      await again.expectReport({ mode: 'running', queue, assigned: true, watermarks: { '': 40 } });
      expect(await under().ready(queue)).toBe(0);
    });
  });
}
