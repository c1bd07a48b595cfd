import { Migratable } from '@kubewright/migratable';
import { connectAmqp } from '@kubewright/migratable/amqp';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  CommandedProcess,
  type MessagesUnderTest,
} from '../../../packages/migratable/src/testing/commanded-process.ts';
import type { AmqpUnderTest } from './amqp-under-test.ts';

/** More than the broker hands out ahead. */
const MESSAGES = 80;
/** More than a quorum queue of RabbitMQ 4 allows a message to come back. */
const ATTEMPTS = 22;

let names = 0;
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/**
 * Registers what becomes of the messages that a broker has handed out ahead and that were never handed over, on one type of
 * primary queue: they are never lost, come in their order, and are nobody else's meanwhile.
 */
export function windowsContract(
  under: () => { readonly amqp: AmqpUnderTest; readonly messages: MessagesUnderTest },
  { hasLimitForNacks = false }: { readonly hasLimitForNacks?: boolean } = {},
): void {
  async function filled(): Promise<string> {
    const queue = `window-${(names += 1)}`;
    const { messages } = under();
    await messages.declarePrimary(queue);
    await messages.publish(
      queue,
      range(1, MESSAGES).map((seq) => ({ body: { seq } })),
    );
    return queue;
  }

  /** Applies what is left, and says what that was. */
  async function rest(queue: string, count: number = MESSAGES): Promise<readonly number[]> {
    const applied: number[] = [];
    const messages = connectAmqp({ url: under().amqp.url });
    const { stop, ended } = started(messages, queue, async (seq) => void applied.push(seq));
    await expect.poll(() => applied.length).toBe(count);
    stop.abort();
    await ended;
    await messages.close();
    return applied;
  }

  type Started = { readonly stop: AbortController; readonly ended: Promise<void>; readonly pod: string };
  function started(
    messages: ReturnType<typeof connectAmqp>,
    queue: string,
    apply: (seq: number) => Promise<void>,
  ): Started {
    const stop = new AbortController();
    const pod = `${queue}-${(names += 1)}`;
    const app = new Migratable({
      queue,
      messages,
      pod,
      apply: ({ body }) => apply((body as { readonly seq: number }).seq),
      snapshot: () => 0,
      restore: () => undefined,
    });
    const ended = app.start(stop.signal);
    onTestFinished(() => stop.abort());
    return { stop, ended, pod };
  }

  describe('messages that are handed out ahead', () => {
    test('they come in their order again when a process has stopped that applied some of them', async () => {
      const queue = await filled();
      const applied: number[] = [];
      const messages = connectAmqp({ url: under().amqp.url });
      for (const count of [5, 10]) {
        const { stop, ended } = started(messages, queue, async (seq) => {
          applied.push(seq);
          // While the broker hands out more in the place of those that were acknowledged.
          if (applied.length === count) stop.abort();
        });
        await ended;
      }
      await messages.close();
      expect([...applied, ...(await rest(queue, MESSAGES - 10))]).toEqual(range(1, MESSAGES));
    });

    test.skipIf(hasLimitForNacks)(
      'a process that fails at its first message again and again loses none that it was not handed',
      async () => {
        const queue = await filled();
        const messages = connectAmqp({ url: under().amqp.url });
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          const { ended } = started(messages, queue, () => Promise.reject(new Error('the database is away')));
          await expect(ended).rejects.toThrow('the database is away');
        }
        await messages.close();
        expect(await rest(queue)).toEqual(range(1, MESSAGES));
      },
    );

    test.skipIf(hasLimitForNacks)(
      'a process that is killed at its first message again and again loses none that it was not handed',
      async () => {
        const queue = await filled();
        const messages = connectAmqp({ url: under().amqp.url });
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          const { ended } = started(messages, queue, async () => {
            await under().amqp.disconnect();
            throw new Error('killed');
          });
          await expect(ended).rejects.toThrow('killed');
        }
        await messages.close();
        expect(new Set(await rest(queue))).toEqual(new Set(range(1, MESSAGES)));
      },
    );

    test('MIG-51: where the broker has not noticed that their connection is lost, nobody goes on behind them', async () => {
      const queue = await filled();
      const applied: number[] = [];
      const messages = connectAmqp({ url: under().amqp.url });
      let release: (() => void) | undefined;
      const { stop, ended, pod } = started(messages, queue, async (seq) => {
        applied.push(seq);
        if (seq !== 5 || release !== undefined) return;
        release = under().amqp.halve();
        await expect.poll(() => messages.onChannel(async () => 'again').catch(() => 'lost')).toBe('again');
      });
      const process = new CommandedProcess(messages, pod);
      await expect.poll(() => release).toBeDefined();
      // On a new connection: it has had the time to consume there.
      await process.expectReport({ watermarks: { '': 5 } });
      await process.expectReport({ mode: 'running', watermarks: { '': 5 } });
      release?.();
      await process.expectReport({ watermarks: { '': MESSAGES }, gaps: 0 });
      expect(applied).toEqual(range(1, MESSAGES));
      stop.abort();
      await ended;
      await messages.close();
    });
  });
}
