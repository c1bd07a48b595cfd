import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { commandMessage, controlQueue, holdQueue, Migratable, statusQueue } from '@kubewright/migratable';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  CommandedProcess,
  expectFenced,
  type MessagesUnderTest,
  Operator,
  unique,
} from '../../../packages/migratable/src/testing/commanded-process.ts';
import { PYTHON, whyNoPython } from '../../servers/python.ts';
import { type RabbitMq, type RabbitMqOptions, startRabbitMq, whyNoRabbitMq } from '../../servers/rabbitmq.ts';
import { notInCi } from '../../servers/real-side.ts';
import { PythonProcess, SAMPLE_ENV } from '../../support/python-process.ts';
import { type AmqpUnderTest, amqpUnderTest } from './amqp-under-test.ts';
import { declareWith, type QueueArguments } from './declare-with.ts';
import { messagesUnderTest } from './messages-under-test.ts';

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Prints which methods of AMQP the sample sends when it has messages in hand, and closes their consumer. */
const CLOSE = `
import os, pika.channel
from migratable import Broker, Consumer
broker = Broker(os.environ['BROKER_URL'])
consumer = Consumer(broker, os.environ['QUEUE'], prefetch=50, exclusive=True, alone=True)
send = pika.channel.Channel._send_method
pika.channel.Channel._send_method = lambda self, method, *rest: (print(method.NAME), send(self, method, *rest))[1]
consumer.close()
broker.connection.close()
`;

export type PythonRow = RabbitMqOptions & {
  /** How primary queues are declared. */
  readonly primaries: Readonly<Record<string, QueueArguments>>;
};

/** Registers what the Python sample does at one node of RabbitMQ, for each way to declare a primary queue. */
export function describePython(title: string, { primaries, ...options }: PythonRow): void {
  const { release } = options;
  const why = whyNoRabbitMq(release) ?? whyNoPython() ?? (release === '4' ? notInCi : undefined);
  describe.skipIf(why !== undefined)(why === undefined ? title : `${title} [${why}]`, () => {
    let server: RabbitMq;
    let connected: AmqpUnderTest;
    beforeAll(async () => {
      server = await startRabbitMq(options);
      connected = await amqpUnderTest(server);
      console.log(`${title}: ${await server.version()}`);
    });
    afterAll(async () => {
      await connected.close();
      await server.stop();
    });
    describe.each(Object.entries(primaries))('with %s', (_title, args) =>
      pythonContract(() => {
        const { url } = connected;
        const declare = (queue: string): Promise<void> => declareWith(url, queue, args);
        return { connected, under: messagesUnderTest(connected, declare), nacks: release === '4' };
      }),
    );
  });
}

type Under = {
  readonly connected: AmqpUnderTest;
  readonly under: MessagesUnderTest;
  /** What is in hand goes back to its place by a nack. */
  readonly nacks: boolean;
};

function pythonContract(row: () => Under): void {
  let connected: AmqpUnderTest;
  let under: MessagesUnderTest;
  let nacks: boolean;
  beforeAll(() => {
    ({ connected, under, nacks } = row());
  });

  async function primary(): Promise<string> {
    const queue = unique('orders');
    await under.declarePrimary(queue);
    return queue;
  }

  const publish = (queue: string, ...seqs: readonly number[]): Promise<void> =>
    under.publish(
      queue,
      seqs.map((seq) => ({ body: { seq } })),
    );

  const start = (queue: string, more: { readonly pod?: string; readonly startPaused?: boolean } = {}) =>
    new PythonProcess(under.messages, { url: connected.url, queue, ...more });

  /** A process of the library for TypeScript whose state is that of the sample. */
  function startTypeScript(
    queue: string,
    startPaused: boolean,
  ): CommandedProcess & { readonly seqs: () => unknown } {
    const pod = unique('typescript');
    let state: Record<string, number[]> = {};
    const app = new Migratable({
      queue,
      pod,
      startPaused,
      messages: under.messages,
      apply: ({ body }) => void (state[''] ??= []).push((body as { readonly seq: number }).seq),
      snapshot: () => state,
      restore: (restored) => void (state = restored as typeof state),
    });
    const stop = new AbortController();
    const ended = app.start(stop.signal);
    onTestFinished(() => {
      stop.abort();
      return ended;
    });
    return Object.assign(new CommandedProcess(under.messages, pod), { seqs: () => state[''] });
  }

  /** A whole migration; messages come in meanwhile. The target goes on with the digest of the source. */
  async function handOver(source: CommandedProcess, target: CommandedProcess, queue: string): Promise<void> {
    const operator = new Operator();
    await publish(queue, ...range(1, 100));
    const { mirror, snapshot, digest } = await operator.snapshotOf(under, source, queue);
    await publish(queue, ...range(101, 200));
    await operator.do(target, { type: 'restore', snapshot, hold: true }, { mode: 'paused', digest });
    const { watermarks: upTo } = await source.expectReport({ watermarks: { '': 200 } });
    await operator.do(
      target,
      { type: 'follow', queue: mirror, upTo },
      { mode: 'following', watermarks: upTo },
    );
    await publish(queue, ...range(201, 300));
    const { watermarks, digest: cut } = await operator.do(source, { type: 'pause' }, { mode: 'paused' });
    await publish(queue, ...range(301, 350));
    const last = { type: 'follow', queue: mirror, upTo: watermarks, final: true } as const;
    await operator.do(target, last, { mode: 'paused', watermarks, digest: cut });
    await operator.do(target, { type: 'resume', release: true }, { mode: 'running' });
    await publish(queue, ...range(351, 400));
    await target.expectReport({ watermarks: { '': 400 }, gaps: 0 });
    expect(await under.ready(queue)).toBe(0);
  }

  /** A paused process with the state of a source that is gone; it holds the queue. */
  async function holderOf(queue: string): Promise<PythonProcess> {
    const source = start(queue);
    const operator = new Operator();
    const { snapshot } = await operator.snapshotOf(under, source, queue);
    await source.stop();
    const holder = start(queue, { startPaused: true });
    await operator.do(holder, { type: 'restore', snapshot, hold: true }, { mode: 'paused' });
    return holder;
  }

  describe('takes over', () => {
    test('from another one, each message once and in order', async () => {
      const queue = await primary();
      const target = start(queue, { startPaused: true });
      await handOver(start(queue), target, queue);
      await expect.poll(() => target.applied).toEqual(range(1, 400));
    });

    test('from one in TypeScript', async () => {
      const queue = await primary();
      const target = start(queue, { startPaused: true });
      await handOver(startTypeScript(queue, false), target, queue);
      await expect.poll(() => target.applied).toEqual(range(1, 400));
    });

    test('and one in TypeScript takes over from it', async () => {
      const queue = await primary();
      const target = startTypeScript(queue, true);
      await handOver(start(queue), target, queue);
      expect(target.seqs()).toEqual(range(1, 400));
    });

    test('but not from a snapshot that is another one, and not while it runs', async () => {
      const queue = await primary();
      await publish(queue, 1, 2);
      const source = start(queue);
      const operator = new Operator();
      const { snapshot } = await operator.snapshotOf(under, source, queue);
      const target = start(queue, { startPaused: true });
      const other = { ...snapshot, sha256: '0'.repeat(64) };
      const { failure } = await operator.do(target, { type: 'restore', snapshot: other }, { mode: 'paused' });
      expect(failure).toMatch(/not the one that was written/);
      expect(target.applied).toEqual([]);
      const { failure: second } = await operator.do(
        source,
        { type: 'restore', snapshot },
        { mode: 'running' },
      );
      expect(second).toMatch(/running, not paused/);
    });
  });

  describe('commands', () => {
    test('a pause stops it, a resume has it go on; commands that come late or twice change nothing', async () => {
      const queue = await primary();
      const source = start(queue);
      await expectFenced(source);
      expect(await source.stop()).toBe(0);
    });

    test('a barrier stops it exactly there: what comes after it is in the queue', async () => {
      const queue = await primary();
      const operator = new Operator();
      const before = start(queue);
      const barrier = await before.barrier(operator.fence());
      await before.stop();
      await publish(queue, ...range(1, 7));
      await under.messages.send(queue, barrier);
      await publish(queue, ...range(8, 20));
      const source = start(queue, { pod: before.pod });
      await source.expectReport({ mode: 'paused', watermarks: { '': 7 } });
      expect(await under.ready(queue)).toBe(13);
      await operator.do(source, { type: 'resume' }, { mode: 'running' });
      await source.expectReport({ watermarks: { '': 20 }, duplicates: 0 });
      expect(source.applied).toEqual(range(1, 20));
    });

    test('a barrier for another pod, or of a migration that went on, stops nobody', async () => {
      const queue = await primary();
      const source = start(queue);
      const operator = new Operator();
      const old = operator.fence();
      await operator.do(source, { type: 'resume' }, { mode: 'running' });
      const gone = start(unique('nowhere'));
      const barriers = [await source.barrier(old), await gone.barrier(operator.fence())];
      await gone.stop();
      for (const barrier of barriers) await under.messages.send(queue, barrier);
      await publish(queue, 1, 2, 3);
      await source.expectReport({ mode: 'running', watermarks: { '': 3 } });
      expect(await under.ready(queue)).toBe(0);
    });

    test.each([
      ['no object', 'pause'],
      ['no fence', { type: 'pause' }],
      ['a step that is no number', { type: 'pause', migration: 'm', epoch: 1, step: '1' }],
      ['a name that is none', { type: ['pause'], migration: 'm', epoch: 1, step: 1 }],
      [
        'marks that are none',
        { type: 'follow', queue: 'q', upTo: { a: -1 }, migration: 'm', epoch: 1, step: 1 },
      ],
      ['a snapshot that is none', { type: 'restore', snapshot: [], migration: 'm', epoch: 1, step: 1 }],
    ])(
      'what is no command (%s) is passed over, and is a message of the application in its queue',
      async (_what, body) => {
        const queue = await primary();
        const source = start(queue);
        const message = { headers: { 'ms2m-command': 'pause' }, body };
        await source.send(message);
        await under.messages.send(queue, message);
        await publish(queue, 1);
        const report = await source.expectReport({ mode: 'running', watermarks: { '': 1 }, unnumbered: 1 });
        expect(report).not.toHaveProperty('handled');
      },
    );
  });

  describe('messages', () => {
    test('one that comes again is a duplicate, a number that is left out a gap', async () => {
      const queue = await primary();
      await publish(queue, 1, 2, 2, 1, 4);
      const source = start(queue);
      await source.expectReport({ watermarks: { '': 4 }, applied: 3, duplicates: 2, gaps: 1, unnumbered: 0 });
      expect(source.applied).toEqual([1, 2, 4]);
    });

    test('when the connection is lost those in hand come again, and change nothing', async () => {
      const queue = await primary();
      const source = start(queue);
      for (const first of [1, 301, 601]) {
        await publish(queue, ...range(first, first + 299));
        await under.disconnect();
      }
      await source.expectReport({ mode: 'running', watermarks: { '': 900 }, gaps: 0 });
      await expect.poll(() => under.ready(queue)).toBe(0);
      expect(source.applied).toEqual(range(1, 900));
    });

    test('one that cannot be applied ends it, and stays in the queue', async () => {
      const queue = await primary();
      const source = start(queue);
      await under.publish(queue, [{ body: { producer: [], seq: 1 } }]);
      expect(await source.ended).toBe(1);
      expect(source.errors).toMatch(/TypeError: unhashable/);
      await expect.poll(() => under.ready(queue)).toBe(1);
    });

    test('SIGTERM: all that it has not applied is back, in order, for another one that waits for the queue', async () => {
      const queue = await primary();
      const source = start(queue);
      await source.expectReport({ mode: 'running' });
      const successor = start(queue);
      await successor.expectReport({ mode: 'running' });
      const published = publish(queue, ...range(1, 2000));
      await expect.poll(() => source.applied.length, { interval: 1 }).toBeGreaterThan(0);
      expect(await source.stop()).toBe(0);
      await published;
      await successor.expectReport({ watermarks: { '': 2000 }, gaps: 0, duplicates: 0 });
      expect([...source.applied, ...successor.applied]).toEqual(range(1, 2000));
    });

    test("the queue is nobody else's until all is back: it closes the channel, and nacks before where the broker has the place of a message", async () => {
      const queue = await primary();
      await publish(queue, ...range(1, 60));
      const env = { ...SAMPLE_ENV, BROKER_URL: connected.url, QUEUE: queue };
      const { stdout } = await promisify(execFile)(PYTHON, ['-c', CLOSE], { env });
      const sent = stdout.split('\n').filter((name) => name !== '' && name !== 'Queue.Declare');
      expect(sent).toEqual([...(nacks ? ['Basic.Cancel', 'Basic.Nack'] : []), 'Channel.Close']);
    });
  });

  describe('where another pod has the state', () => {
    test('one that begins waits, takes no message and says nothing; it begins when that is over', async () => {
      const queue = await primary();
      const holder = await holderOf(queue);
      const blank = start(queue);
      await blank.send(commandMessage({ type: 'report' }));
      await expect.poll(() => under.ready(`ms2m.control.${blank.pod}`)).toBe(0);
      await publish(queue, 1, 2, 3);
      expect(await blank.report()).toBeUndefined();
      expect(await under.ready(queue)).toBe(3);
      await holder.stop();
      await under.deleteQueue(statusQueue(holder.pod));
      // Nobody asks.
      await expect.poll(() => blank.report()).toMatchObject({ mode: 'running' });
      await expect.poll(() => blank.applied).toEqual([1, 2, 3]);
    });

    test('the holder that is started again waits without the state, and obeys no command for the one before it', async () => {
      const queue = await primary();
      const holder = await holderOf(queue);
      const operator = new Operator();
      const { instance } = await operator.do(holder, { type: 'resume' }, { mode: 'running' });
      await holder.stop();
      await publish(queue, 1, 2, 3);
      const again = start(queue, { pod: holder.pod, startPaused: true });
      const other: unknown = expect.not.stringContaining(instance);
      await again.expectReport({ mode: 'paused', waiting: true, instance: other });
      const { failure } = await operator.do(again, { type: 'resume', instance }, { waiting: true });
      expect(failure).toMatch(/started again/);
      expect(await under.ready(queue)).toBe(3);
      await under.deleteQueue(holdQueue(queue));
      expect(await again.expectReport({ mode: 'running', watermarks: { '': 3 } })).not.toHaveProperty(
        'waiting',
      );
    });
  });

  test('one whose queues the broker has forgotten reports again, and obeys', async () => {
    const process = start(await primary());
    await process.expectReport({ mode: 'running' });
    await under.deleteQueue(controlQueue(process.pod));
    await under.deleteQueue(statusQueue(process.pod));
    await new Operator().do(process, { type: 'pause' }, { mode: 'paused' });
  });

  test('one that is started again in the midst of a migration waits for commands', async () => {
    const queue = await primary();
    const source = start(queue);
    const operator = new Operator();
    await operator.do(source, { type: 'pause' }, { mode: 'paused' });
    await source.stop();
    await publish(queue, 1, 2, 3);
    const again = start(queue, { pod: source.pod });
    await again.expectReport({ mode: 'paused', handled: { migration: operator.migration } });
    expect(await under.ready(queue)).toBe(3);
    await operator.do(again, { type: 'resume' }, { mode: 'running', watermarks: { '': 3 } });
  });
}
