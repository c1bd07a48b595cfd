import { describe, expect, test } from 'vitest';
import type { Message, Messages } from './messages.ts';
import { MigratableError } from './migratable-error.ts';
import type { MigratableOptions } from './migratable.ts';
import { timer } from './timer.ts';
import { assignedQueueContract } from './assigned-queue.contract.ts';
import { foreignMessagesContract } from './foreign-messages.contract.ts';
import { controlQueue, holdQueue, statusQueue } from './protocol.ts';
import { commandMessage } from './protocol-messages.ts';
import { expectFenced, type MessagesUnderTest, Operator, unique } from './testing/commanded-process.ts';
import { forGood, Process } from './testing/own-process.ts';
import { writtenAtBarrierContract } from './written-at-barrier.contract.ts';

const PRODUCERS = ['a', 'b', 'c', '__proto__'];

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const other = (instance: string): unknown => expect.not.stringContaining(instance);

/** Registers what an operator relies on in an application. */
export function migratableContract(under: () => MessagesUnderTest): void {
  foreignMessagesContract(under);
  assignedQueueContract(under);
  writtenAtBarrierContract(under);

  async function primary(): Promise<string> {
    const queue = unique('primary');
    await under().declarePrimary(queue);
    return queue;
  }

  async function publish(queue: string, from: number, to: number): Promise<void> {
    await under().publish(
      queue,
      range(from, to).map((seq) => ({ body: { seq } })),
    );
  }

  const start = (queue: string, options?: Partial<MigratableOptions>): Process =>
    new Process(under().messages, queue, options);

  const snapshotOf = (operator: Operator, source: Process, queue: string) =>
    operator.snapshotOf(under(), source, queue);

  describe('a whole migration', () => {
    test('every message changes the state of the survivor once, in its order, while messages come in', async () => {
      const queue = await primary();
      await publish(queue, 1, 100);
      const source = start(queue);
      const operator = new Operator();
      const { mirror, snapshot, digest } = await snapshotOf(operator, source, queue);
      await publish(queue, 101, 200);
      const target = start(queue, { startPaused: true });
      await operator.do(target, { type: 'restore', snapshot }, { mode: 'paused', digest });
      const { watermarks: upTo } = await source.expectReport({ watermarks: { '': 200 } });
      await operator.do(target, { type: 'follow', queue: mirror, upTo }, { watermarks: upTo });
      await publish(queue, 201, 300);
      const quiesced = await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      await publish(queue, 301, 350);
      const last = { type: 'follow', queue: mirror, upTo: quiesced.watermarks, final: true } as const;
      const { watermarks, digest: reached } = quiesced;
      await operator.do(target, last, { mode: 'paused', watermarks, digest: reached });
      await operator.do(target, { type: 'resume' }, { mode: 'running' });
      await publish(queue, 351, 400);
      await target.expectReport({ watermarks: { '': 400 }, gaps: 0 });
      expect(target.state.applied).toEqual(range(1, 400));
      expect(await under().ready(queue)).toBe(0);
    });

    test('MIG-24: what the target has of the mirror beyond the cut is thrown away, and taken from the primary', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      const { mirror, snapshot } = await snapshotOf(operator, source, queue);
      await publish(queue, 1, 20);
      await source.expectReport({ watermarks: { '': 20 } });
      await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      // More than is handed out ahead is in the mirror, and none of it in the source.
      await publish(queue, 21, 150);
      const target = start(queue, { startPaused: true });
      await operator.do(target, { type: 'restore', snapshot });
      await operator.do(
        target,
        { type: 'follow', queue: mirror, upTo: { '': 10 } },
        { watermarks: { '': 10 } },
      );
      await operator.do(
        target,
        { type: 'follow', queue: mirror, upTo: { '': 20 }, final: true },
        { mode: 'paused' },
      );
      expect(target.state).toEqual(source.state);
      await operator.do(target, { type: 'resume' });
      await target.expectReport({ watermarks: { '': 150 }, duplicates: 0 });
      expect(target.state.applied).toEqual(range(1, 150));
    });

    test('MIG-42: the source is lost after its snapshot: the target applies the mirror up to a mark in it, whoever took what from the queue', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      await publish(queue, 1, 10);
      const { mirror, snapshot } = await snapshotOf(operator, source, queue);
      await publish(queue, 11, 20);
      await source.expectReport({ watermarks: { '': 20 } });
      await source.stop();
      // Made in its place, without the state.
      const blank = start(queue);
      await publish(queue, 21, 30);
      await blank.expectReport({ watermarks: { '': 30 } });
      await blank.stop();
      const target = start(queue, { startPaused: true });
      await operator.do(target, { type: 'restore', snapshot, hold: true });
      await operator.do(target, { type: 'follow', queue: mirror }, { mode: 'following' });
      await publish(queue, 31, 40);
      const [foreign, mark] = [operator.fence(), operator.fence()];
      await under().messages.send(mirror, await source.barrier(foreign));
      await under().messages.send(mirror, await target.barrier(mark));
      await publish(queue, 41, 50);
      await target.expectReport({ mode: 'paused', handled: mark, watermarks: { '': 40 } });
      await operator.do(target, { type: 'resume' }, { mode: 'running' });
      await target.expectReport({ watermarks: { '': 50 }, gaps: 0 });
      expect(target.state.applied).toEqual(range(1, 50));
    });

    test('MIG-10: without traffic the barrier alone completes it', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      const { mirror, snapshot } = await snapshotOf(operator, source, queue);
      const target = start(queue, { startPaused: true });
      await operator.do(target, { type: 'restore', snapshot });
      const { watermarks: upTo, digest } = await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      const last = { type: 'follow', queue: mirror, upTo, final: true } as const;
      await operator.do(target, last, { mode: 'paused', digest });
    });

    test('MIG-9: a backlog of 10,000 is in the survivor, each message once', async () => {
      const queue = await primary();
      await publish(queue, 1, 10_000);
      const source = start(queue);
      const operator = new Operator();
      const { mirror, snapshot } = await snapshotOf(operator, source, queue);
      const target = start(queue, { startPaused: true });
      await operator.do(target, { type: 'restore', snapshot });
      const { watermarks: upTo, digest } = await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      await operator.do(
        target,
        { type: 'follow', queue: mirror, upTo, final: true },
        { mode: 'paused', digest },
      );
      await operator.do(target, { type: 'resume' }, { mode: 'running' });
      expect(target.state.applied).toEqual(range(1, 10_000));
    });

    test('MIG-11: of four producers, the order of each is kept', async () => {
      const queue = await primary();
      const seen: (readonly [string, number])[] = [];
      const options = {
        apply: ({ body }: Message) => {
          const { producer, seq } = body as { readonly producer: string; readonly seq: number };
          seen.push([producer, seq]);
        },
        snapshot: () => seen.length,
        restore: () => undefined,
      };
      const source = start(queue, options);
      const operator = new Operator();
      const publishAll = async (from: number, to: number): Promise<void> => {
        const bodies = range(from, to).flatMap((seq) => PRODUCERS.map((producer) => ({ producer, seq })));
        await under().publish(
          queue,
          bodies.map((body) => ({ body })),
        );
      };
      await publishAll(1, 10);
      const { mirror, snapshot } = await snapshotOf(operator, source, queue);
      await publishAll(11, 20);
      const { watermarks: upTo } = await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      const target = start(queue, { ...options, startPaused: true });
      await operator.do(target, { type: 'restore', snapshot });
      await operator.do(target, { type: 'follow', queue: mirror, upTo, final: true }, { watermarks: upTo });
      await operator.do(target, { type: 'resume' });
      await publishAll(21, 30);
      await target.expectReport({ applied: expect.any(Number) as number, gaps: 0 });
      await expect.poll(() => seen.filter(([, seq]) => seq === 30)).toHaveLength(4);
      for (const producer of PRODUCERS) {
        // Source and target share the list: what both applied, from the snapshot to the cut, is there twice.
        const own = [...new Set(seen.filter(([name]) => name === producer).map(([, seq]) => seq))];
        expect(own).toEqual(range(1, 30));
      }
    });
  });

  describe('a queue that is held', () => {
    test('MIG-51: who begins without a state takes no message of the holder, also when all connections break', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      await publish(queue, 1, 10);
      const { snapshot } = await snapshotOf(operator, source, queue);
      await source.stop();
      const holder = start(queue, { startPaused: true });
      await operator.do(holder, { type: 'restore', snapshot, hold: true });
      // It would be the first to have the queue: the holder does not consume yet.
      const blank = start(queue);
      await publish(queue, 11, 20);
      await blank.send(commandMessage({ type: 'report' }));
      await operator.do(holder, { type: 'resume' }, { mode: 'running' });
      await under().disconnect();
      await publish(queue, 21, 30);
      await holder.expectReport({ watermarks: { '': 30 }, gaps: 0 });
      expect(holder.state.applied).toEqual(range(1, 30));
      expect(blank.state.applied).toEqual([]);
      expect(await blank.report()).toBeUndefined();
    });

    test('MIG-51: it begins as soon as it is asked when the holder has been given up', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      const { snapshot } = await snapshotOf(operator, source, queue);
      await source.stop();
      const holder = start(queue, { startPaused: true });
      await operator.do(holder, { type: 'restore', snapshot, hold: true });
      const blank = start(queue);
      await blank.send(commandMessage({ type: 'report' }));
      await holder.stop();
      await under().deleteQueue(statusQueue(holder.pod));
      await publish(queue, 1, 3);
      await blank.expectReport({ mode: 'running', watermarks: { '': 3 } });
    });

    test('MIG-51: it begins by itself, too: it may be a pod of which the operator does not know', async () => {
      const queue = await primary();
      const source = start(queue);
      const { snapshot } = await snapshotOf(new Operator(), source, queue);
      await source.stop();
      const holder = start(queue, { startPaused: true });
      await new Operator().do(holder, { type: 'restore', snapshot, hold: true });
      let looks = 0;
      const blank = start(queue, {
        timer: (_ms, signal) => {
          looks += 1;
          return timer(10, signal);
        },
      });
      await publish(queue, 1, 3);
      await expect.poll(() => looks).toBeGreaterThan(2);
      expect(blank.state.applied).toEqual([]);
      await holder.stop();
      await under().deleteQueue(statusQueue(holder.pod));
      await expect.poll(() => blank.state.applied).toEqual(range(1, 3));
      expect(await blank.report()).toMatchObject({ mode: 'running' });
    });

    test('MIG-6: released, it is not held again: who comes after the holder begins at once', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      const { snapshot } = await snapshotOf(operator, source, queue);
      await source.stop();
      const holder = start(queue, { startPaused: true });
      await operator.do(holder, { type: 'restore', snapshot, hold: true });
      await operator.do(holder, { type: 'resume', release: true }, { mode: 'running' });
      await under().deleteQueue(holdQueue(queue));
      await holder.send(commandMessage({ type: 'report' }));
      await publish(queue, 1, 3);
      await holder.expectReport({ watermarks: { '': 3 } });
      await holder.stop();
      const blank = start(queue);
      await publish(queue, 4, 6);
      await blank.expectReport({ mode: 'running', watermarks: { '': 6 } });
    });
  });

  describe('a process that is started again while its queue is held', () => {
    /** Has the state of a source that is gone, and holds the queue. */
    async function holderOf(queue: string, operator: Operator): Promise<Process> {
      const source = start(queue);
      const { snapshot } = await snapshotOf(operator, source, queue);
      await source.stop();
      const holder = start(queue, { startPaused: true });
      await operator.do(holder, { type: 'restore', snapshot, hold: true });
      return holder;
    }

    test('MIG-46: the holder waits, without the state, and obeys no command for the process before it', async () => {
      const queue = await primary();
      const operator = new Operator();
      const holder = await holderOf(queue, operator);
      const { instance } = await operator.do(holder, { type: 'resume' }, { mode: 'running' });
      await holder.stop();
      await publish(queue, 1, 3);
      const options = { pod: holder.pod, startPaused: true };
      const again = start(queue, options);
      const lost = { mode: 'paused', waiting: true, instance: other(instance) };
      await again.expectReport(lost);
      const { failure } = await operator.do(again, { type: 'resume', instance }, lost);
      expect(failure).toMatch(/started again/);
      await again.stop();
      const oncemore = start(queue, options);
      await oncemore.expectReport(lost);
      expect(await under().ready(queue)).toBe(3);
      await under().deleteQueue(holdQueue(queue));
      await oncemore.expectReport({ mode: 'running', watermarks: { '': 3 } });
      expect(await oncemore.report()).not.toHaveProperty('waiting');
    });

    test('MIG-48: who took over from the holder waits too, and begins where the operator commands it', async () => {
      const queue = await primary();
      const operator = new Operator();
      const holder = await holderOf(queue, operator);
      const { snapshot } = await snapshotOf(new Operator(), await resumed(operator, holder), queue);
      await operator.do(holder, { type: 'pause' }, { mode: 'paused' });
      const successor = start(queue, { startPaused: true });
      await operator.do(successor, { type: 'restore', snapshot });
      await resumed(operator, successor);
      await successor.stop();
      await publish(queue, 1, 3);
      const again = start(queue, { pod: successor.pod, startPaused: true });
      await again.expectReport({ mode: 'paused', waiting: true });
      expect(await under().ready(queue)).toBe(3);
      await operator.do(again, { type: 'resume' }, { mode: 'running', watermarks: { '': 3 } });
    });

    async function resumed(operator: Operator, process: Process): Promise<Process> {
      await operator.do(process, { type: 'resume' }, { mode: 'running' });
      return process;
    }

    test('where the broker goes away as it looks, it looks again: it may have been asked for the last time', async () => {
      const queue = await primary();
      const holder = await holderOf(queue, new Operator());
      const { messages } = under();
      let [looks, found, failures] = [0, 0, 0];
      const peek = async (name: string): Promise<Message | undefined> => {
        const isLook = name === holdQueue(queue);
        looks += isLook ? 1 : 0;
        if (isLook && failures-- > 0) throw new MigratableError('Unavailable', 'the connection is lost');
        const head = await messages.peek(name);
        found += name === statusQueue(holder.pod) ? 1 : 0;
        return head;
      };
      const flaky: Messages = {
        declareQueue: (name, options) => messages.declareQueue(name, options),
        send: (name, message) => messages.send(name, message),
        consume: (name, options) => messages.consume(name, options),
        peek,
      };
      const blank = start(queue, { messages: flaky, timer: forGood });
      await expect.poll(() => found).toBe(1);
      await holder.stop();
      await under().deleteQueue(statusQueue(holder.pod));
      failures = 2;
      await blank.send(commandMessage({ type: 'report' }));
      await expect.poll(() => blank.report()).toMatchObject({ mode: 'running' });
      expect(looks).toBe(4);
    });
  });

  describe('commands', () => {
    test('MIG-25: a command that comes twice, late, or from an older epoch changes nothing', async () => {
      const queue = await primary();
      const source = start(queue);
      await expectFenced(source);
    });

    test('a barrier of a migration that was aborted stops nobody', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      const barrier = operator.fence();
      await operator.do(source, { type: 'resume' }, { mode: 'running' });
      await under().messages.send(queue, await source.barrier(barrier));
      await publish(queue, 1, 3);
      await source.expectReport({ mode: 'running', watermarks: { '': 3 } });
      expect(await under().ready(queue)).toBe(0);
    });

    test('a barrier for a pod that is gone does not stop the one that came after it', async () => {
      const queue = await primary();
      const gone = start(queue);
      const barrier = await gone.barrier(new Operator().fence());
      await gone.stop();
      await under().messages.send(queue, barrier);
      await publish(queue, 1, 3);
      const successor = start(queue);
      await successor.expectReport({ mode: 'running', watermarks: { '': 3 }, unnumbered: 0 });
      expect(await under().ready(queue)).toBe(0);
    });

    test('a barrier stops exactly there: what comes after it is in the queue', async () => {
      const queue = await primary();
      const operator = new Operator();
      await publish(queue, 1, 7);
      const token = unique('token');
      await under().messages.send(queue, commandMessage({ ...operator.fence(), type: 'pause', token }));
      await publish(queue, 8, 20);
      const source = start(queue, { token });
      const { digest } = await source.expectReport({ mode: 'paused', watermarks: { '': 7 } });
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
      expect(source.state.applied).toEqual(range(1, 7));
      await expect.poll(() => under().ready(queue)).toBe(13);
    });

    test('one migration at a time: another is ignored until the first resumes', async () => {
      const queue = await primary();
      const source = start(queue);
      const [first, second] = [new Operator(), new Operator()];
      await first.do(source, { type: 'pause' }, { mode: 'paused' });
      await source.command(second.fence(), { type: 'snapshot', queue });
      await source.expectReport({ handled: { migration: first.migration } });
      await first.do(source, { type: 'resume' }, { mode: 'running' });
      await second.do(source, { type: 'pause' }, { mode: 'paused' });
    });

    test.each([
      ['no object', 'pause'],
      ['no type', { migration: 'm', epoch: 1, step: 1 }],
      ['no fence', { type: 'pause' }],
      ['a prototype', { type: 'pause', migration: 'm', epoch: 1, step: '1' }],
      [
        'marks that are none',
        { type: 'follow', queue: 'q', upTo: { a: -1 }, migration: 'm', epoch: 1, step: 1 },
      ],
      ['a snapshot that is none', { type: 'restore', snapshot: [], migration: 'm', epoch: 1, step: 1 }],
    ])('what is no command (%s) is passed over', async (_what, body) => {
      const queue = await primary();
      const source = start(queue);
      await source.send({ headers: { 'ms2m-command': 'pause' }, body });
      await under().messages.send(queue, { headers: { 'ms2m-command': 'pause' }, body });
      await publish(queue, 1, 1);
      await source.expectReport({ mode: 'running', watermarks: { '': 1 } });
      expect((await source.report())?.handled).toBeUndefined();
    });

    test.each([
      ['a snapshot while it runs', { type: 'snapshot', queue: 'nowhere' }, /running, not paused/],
      ['to follow while it runs', { type: 'follow', queue: 'nowhere' }, /running/],
    ] as const)('%s fails, with a reason', async (_what, command, reason) => {
      const queue = await primary();
      const source = start(queue);
      const { failure } = await new Operator().do(source, command, { mode: 'running' });
      expect(failure).toMatch(reason);
    });

    test('a snapshot that is not the one that was written is rejected, and the state stays', async () => {
      const queue = await primary();
      await publish(queue, 1, 5);
      const operator = new Operator();
      const source = start(queue);
      const { snapshot } = await snapshotOf(operator, source, queue);
      const target = start(queue, { startPaused: true });
      const other = { ...snapshot, sha256: '0'.repeat(64) };
      const { failure } = await operator.do(target, { type: 'restore', snapshot: other }, { mode: 'paused' });
      expect(failure).toMatch(/not the one that was written/);
      expect(target.state.applied).toEqual([]);
    });

    test('a snapshot into a queue that is not there fails, and the process stays paused', async () => {
      const source = start(await primary());
      const operator = new Operator();
      await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      const { failure } = await operator.do(
        source,
        { type: 'snapshot', queue: unique('missing') },
        { mode: 'paused' },
      );
      expect(failure).toMatch(/no queue/);
    });

    test('a state of several chunks moves whole', async () => {
      const queue = await primary();
      const text = 'ü'.repeat(300_000);
      const source = start(queue, { snapshot: () => ({ text }) });
      const operator = new Operator();
      const { snapshot, digest } = await snapshotOf(operator, source, queue);
      expect(snapshot.chunks).toBeGreaterThan(4);
      let restored: unknown;
      const target = start(queue, {
        startPaused: true,
        snapshot: () => restored,
        restore: (state) => void (restored = state),
      });
      await operator.do(target, { type: 'restore', snapshot }, { digest });
      expect(restored).toEqual({ text });
    });
  });

  describe('processes', () => {
    test('MIG-28: a message that was applied and not acked comes again, and changes nothing', async () => {
      const queue = await primary();
      const source = start(queue);
      source.during = async (seq) => {
        if (seq === 3) await under().disconnect();
      };
      await publish(queue, 1, 10);
      await source.expectReport({ watermarks: { '': 10 } });
      await expect.poll(() => under().ready(queue)).toBe(0);
      expect(source.state.applied).toEqual(range(1, 10));
    });

    test('MIG-23: a target that dies with messages in hand leaves them in the mirror, for the next one', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      const { mirror, snapshot } = await snapshotOf(operator, source, queue);
      await publish(queue, 1, 60);
      await source.expectReport({ watermarks: { '': 60 } });
      const target = start(queue, { startPaused: true });
      await operator.do(target, { type: 'restore', snapshot });
      await operator.do(target, { type: 'follow', queue: mirror, upTo: {} }, { mode: 'following' });
      expect(target.state.applied).toEqual([]);
      await target.stop();
      await expect.poll(() => under().ready(mirror)).toBe(60);
      // The snapshot is there still, too: whoever takes over in its place applies each message once.
      const next = start(queue, { startPaused: true });
      await operator.do(next, { type: 'restore', snapshot });
      const all = { type: 'follow', queue: mirror, upTo: { '': 60 }, final: true } as const;
      await operator.do(next, all, { mode: 'paused', watermarks: { '': 60 }, duplicates: 0 });
      expect(next.state.applied).toEqual(range(1, 60));
    });

    test('MIG-32: a process that is started again in the midst of a migration waits for commands', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      const { instance } = await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      await source.stop();
      await publish(queue, 1, 3);
      const again = start(queue, { pod: source.pod });
      await again.expectReport({
        mode: 'paused',
        instance: other(instance),
        handled: { migration: operator.migration },
      });
      expect(await under().ready(queue)).toBe(3);
      await operator.do(again, { type: 'resume' }, { mode: 'running', watermarks: { '': 3 } });
    });

    test('a process whose queues the broker has forgotten reports again, and obeys', async () => {
      const queue = await primary();
      const source = start(queue);
      await source.expectReport({ mode: 'running' });
      await under().deleteQueue(controlQueue(source.pod));
      await under().deleteQueue(statusQueue(source.pod));
      await new Operator().do(source, { type: 'pause' }, { mode: 'paused' });
    });

    test('MIG-43: a process that ran and is started again runs, as another instance', async () => {
      const queue = await primary();
      const source = start(queue, { startPaused: true });
      const { instance } = await new Operator().do(source, { type: 'resume' }, { mode: 'running' });
      await source.stop();
      const again = start(queue, { pod: source.pod, startPaused: true });
      await again.expectReport({ mode: 'running', instance: other(instance) });
    });

    test('one that was restored from a checkpoint waits, with its state, and knows what it has applied', async () => {
      const queue = await primary();
      await publish(queue, 1, 5);
      const source = start(queue);
      await source.expectReport({ watermarks: { '': 5 } });
      expect(() => source.app.capture()).toThrow(/running, not paused/);
      const operator = new Operator();
      const { digest } = await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      const restored: unknown = structuredClone(source.app.capture());
      const target = start(queue, { restored });
      await target.expectReport({ mode: 'paused', digest, watermarks: { '': 5 } });
      await publish(queue, 5, 6);
      await operator.do(target, { type: 'resume' }, { watermarks: { '': 6 }, duplicates: 1 });
      expect(target.state.applied).toEqual(range(1, 6));
    });

    test('a message that cannot be applied ends the process, and stays in the queue', async () => {
      const queue = await primary();
      const apply = (): never => {
        throw new RangeError('out of order');
      };
      const source = start(queue, { apply });
      await publish(queue, 1, 2);
      await expect(source.ended).rejects.toThrow('out of order');
      await expect.poll(() => under().ready(queue)).toBe(2);
    });

    test('SIGTERM: the message in hand is finished, all others go back', async () => {
      const queue = await primary();
      const source = start(queue);
      const entered = new Promise<void>((enter) => {
        source.during = async () => {
          enter();
          await gate;
        };
      });
      let open: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (open = resolve));
      await publish(queue, 1, 10);
      await entered;
      const stopped = source.stop();
      open();
      await stopped;
      expect(source.state.applied).toEqual([1]);
      await expect.poll(() => under().ready(queue)).toBe(9);
    });

    test('messages without a number are applied, and counted', async () => {
      const queue = await primary();
      const seen: unknown[] = [];
      const source = start(queue, { apply: ({ body }) => void seen.push(body) });
      const bodies = ['text', { seq: -1 }, { seq: 1.5 }, { seq: 1, producer: 7 }, { seq: '1' }];
      await under().publish(
        queue,
        bodies.map((body) => ({ body })),
      );
      await source.expectReport({ unnumbered: bodies.length, watermarks: {} });
      expect(seen).toEqual(bodies);
    });

    test('the marks of at most 64 producers are kept: who invents more is not told apart', async () => {
      const queue = await primary();
      const source = start(queue);
      const bodies = range(1, 70).map((index) => ({ producer: `p${index}`, seq: 1 }));
      await under().publish(
        queue,
        bodies.map((body) => ({ body })),
      );
      const { watermarks } = await source.expectReport({ applied: 70, unnumbered: 6 });
      expect(Object.keys(watermarks)).toHaveLength(64);
    });
  });
}
