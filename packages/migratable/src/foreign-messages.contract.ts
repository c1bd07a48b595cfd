import { describe, expect, test } from 'vitest';
import type { Message, Messages } from './messages.ts';
import { type Fence, type SnapshotFacts, snapshotQueue, statusQueue } from './protocol.ts';
import { commandMessage } from './protocol-messages.ts';
import { type MessagesUnderTest, Operator, unique } from './testing/commanded-process.ts';
import { Process } from './testing/own-process.ts';
import { timer } from './timer.ts';

const HEADER = 'ms2m-command';
const HUGE = Buffer.alloc(700 * 1024, 7);

/** What anybody may publish who may publish at all. */
const FORGED: readonly (readonly [what: string, of: (fence: Fence, pod: string) => Message])[] = [
  ['a header alone', () => ({ headers: { [HEADER]: 'pause' }, body: 'stop' })],
  ['a header without a name', () => ({ headers: { [HEADER]: true }, body: { type: 'pause' } })],
  ['a pause without a fence', () => ({ headers: { [HEADER]: 'pause' }, body: { type: 'pause' } })],
  ['a pause with the fence of the migration', (fence) => commandMessage({ ...fence, type: 'pause' })],
  ['one that is addressed', (fence, pod) => commandMessage({ ...fence, type: 'pause', pod })],
  [
    'one with a token that nobody reports',
    (fence, pod) => commandMessage({ ...fence, type: 'pause', pod, token: unique('guessed') }),
  ],
  [
    'one for a pod that there never was',
    (fence) => commandMessage({ ...fence, type: 'pause', pod: unique('pod'), token: unique('token') }),
  ],
  [
    'one beyond all that an operator would send',
    (fence, pod) => commandMessage({ ...fence, type: 'pause', pod, epoch: 2 ** 53 - 1, step: 2 ** 53 - 1 }),
  ],
];

/** Registers what becomes of messages that no producer of the application has sent: they are applied, and stop nobody. */
export function foreignMessagesContract(under: () => MessagesUnderTest): void {
  async function startOn(options: { readonly pod?: string } = {}) {
    const queue = unique('primary');
    await under().declarePrimary(queue);
    const seen: Message[] = [];
    const process = new Process(under().messages, queue, {
      ...options,
      apply: (message) => void seen.push(message),
      snapshot: () => seen.length,
      restore: () => undefined,
    });
    const publish = (...messages: readonly Message[]): Promise<void> => under().publish(queue, messages);
    return { queue, seen, process, publish };
  }

  describe('MIG-76: messages that look like commands', () => {
    test.each(FORGED)('%s is a message of the application: it stops nobody', async (_what, of) => {
      const { queue, seen, process, publish } = await startOn();
      const operator = new Operator();
      await process.expectReport({ mode: 'running' });
      const forged = of(operator.fence(), process.pod);
      await publish({ body: { seq: 1 } }, forged, { body: { seq: 2 } });
      await process.expectReport({ mode: 'running', watermarks: { '': 2 }, applied: 3, unnumbered: 1 });
      expect(seen.map(({ body }) => body)).toEqual([{ seq: 1 }, forged.body, { seq: 2 }]);
      expect(await process.report()).not.toHaveProperty('handled');
      expect(await under().ready(queue)).toBe(0);
    });

    test('the barrier of the operator stops it all the same, and so does the next one', async () => {
      const { queue, process, publish } = await startOn();
      const operator = new Operator();
      const first = operator.fence();
      await publish(commandMessage({ ...first, epoch: 9, type: 'pause', pod: process.pod }));
      await under().messages.send(queue, await process.barrier(first));
      await process.expectReport({ mode: 'paused', handled: first, unnumbered: 1 });
      await operator.do(process, { type: 'resume' }, { mode: 'running' });
      const second = operator.fence();
      await under().messages.send(queue, await process.barrier(second));
      await process.expectReport({ mode: 'paused', handled: second, unnumbered: 1 });
    });

    test('in a mirror, too, a forged one is applied, and the mark of the operator ends it', async () => {
      const { queue, process: source } = await startOn();
      const operator = new Operator();
      const { mirror, snapshot } = await operator.snapshotOf(under(), source, queue);
      await source.stop();
      const { process: target, seen } = await startOn();
      await operator.do(target, { type: 'pause' }, { mode: 'paused' });
      await operator.do(target, { type: 'restore', snapshot }, { mode: 'paused' });
      await operator.do(target, { type: 'follow', queue: mirror }, { mode: 'following' });
      const [forged, mark] = [operator.fence(), operator.fence()];
      const message = commandMessage({ ...forged, type: 'pause', pod: target.pod });
      await under().publish(queue, [{ body: { seq: 1 } }, message, { body: { seq: 2 } }]);
      await target.expectReport({ mode: 'following', watermarks: { '': 2 }, unnumbered: 1 });
      expect(seen.map(({ body }) => body)).toEqual([{ seq: 1 }, message.body, { seq: 2 }]);
      await under().messages.send(mirror, await target.barrier(mark));
      await target.expectReport({ mode: 'paused', handled: mark });
    });

    test('the token is the pod’s, and a process that is started again in it keeps it', async () => {
      const { queue, process } = await startOn();
      const barrier = await process.barrier(new Operator().fence());
      const { token } = (await process.report()) ?? {};
      expect(token).toMatch(/./);
      await process.stop();
      await under().messages.send(queue, barrier);
      const again = new Process(under().messages, queue, { pod: process.pod });
      await again.expectReport({ mode: 'paused', token, unnumbered: 0 });
    });

    test('an operator of before has no token, and is known by how it requests reports', async () => {
      const { queue, process } = await startOn();
      const fence = new Operator().fence();
      await process.send(commandMessage({ type: 'report' }));
      await expect.poll(() => under().messages.peek(statusQueue(process.pod))).toBeDefined();
      await expect.poll(() => process.report()).toMatchObject({ number: 2 });
      await under().messages.send(queue, commandMessage({ ...fence, type: 'pause', pod: process.pod }));
      await expect.poll(() => process.report()).toMatchObject({ mode: 'paused', handled: fence });
    });
  });

  describe('MIG-77: messages of other producers', () => {
    const BODIES: readonly unknown[] = [
      Buffer.from([0, 255, 254, 1]),
      Buffer.alloc(0),
      '',
      'text',
      null,
      0,
      [],
      {},
      { seq: 2 ** 53 },
      { seq: 1e300 },
      { seq: -1 },
      { seq: 1.5 },
      { seq: '1' },
      { seq: null },
      { seq: 1, producer: 7 },
      { seq: 1, producer: 'p'.repeat(256) },
      { seq: [1] },
    ];

    test('without a number that counts, each is applied once, in its order, whatever it is', async () => {
      const { seen, process, publish } = await startOn();
      await publish({ body: { seq: 1 } }, ...BODIES.map((body) => ({ body })), { body: { seq: 2 } });
      const unnumbered = BODIES.length;
      await process.expectReport({ mode: 'running', watermarks: { '': 2 }, unnumbered, gaps: 0 });
      const [first, ...others] = seen.map(({ body }) =>
        body instanceof Uint8Array ? Buffer.from(body) : body,
      );
      expect([first, others.at(-1)]).toEqual([{ seq: 1 }, { seq: 2 }]);
      expect(others.slice(0, -1)).toEqual(BODIES);
    });

    test('large ones come whole, more of them than are handed out ahead', async () => {
      const { seen, process, publish } = await startOn();
      await publish(...Array.from({ length: 60 }, () => ({ body: HUGE })), { body: { seq: 1 } });
      await process.expectReport({ mode: 'running', watermarks: { '': 1 }, unnumbered: 60 });
      expect(new Set(seen.map(({ body }) => (body instanceof Uint8Array ? body.length : 'none')))).toEqual(
        new Set([HUGE.length, 'none']),
      );
    });

    test('a name that is a property of every object is a producer like others', async () => {
      const { process, publish } = await startOn();
      const names = ['__proto__', 'constructor', 'toString'];
      await publish(...names.map((producer) => ({ body: { producer, seq: 1 } })));
      const { watermarks } = await process.expectReport({ applied: 3, unnumbered: 0 });
      expect(Object.keys(watermarks)).toEqual(names);
    });
  });

  describe('MIG-77: a queue with a snapshot that has other things, too, or lacks a part', () => {
    async function written(junk: readonly Message[]) {
      const { queue, process: source } = await startOn();
      const operator = new Operator();
      await operator.do(source, { type: 'pause' }, { mode: 'paused' });
      const into = snapshotQueue(operator.migration, { epoch: 1, step: 2 });
      await under().messages.declareQueue(into);
      for (const message of junk) await under().messages.send(into, message);
      const { snapshot, digest } = await operator.do(source, { type: 'snapshot', queue: into });
      return { queue, operator, snapshot: snapshot as SnapshotFacts, digest };
    }
    test('what is no chunk of it is left out', async () => {
      const bytes = Buffer.from('x');
      const junk: readonly Message[] = [
        ...[99_999, -1, 0.5, 2 ** 60].map((chunk) => ({ headers: { chunk }, body: bytes })),
        { headers: { chunk: 0 }, body: 'text' },
        { headers: { chunk: 0 }, body: Buffer.alloc(200 * 1024) },
        { headers: { chunk: '0' }, body: bytes },
        { body: bytes },
      ];
      const { queue, operator, snapshot, digest } = await written(junk);
      const target = new Process(under().messages, queue, {
        startPaused: true,
        snapshot: () => 0,
        restore: () => undefined,
      });
      await operator.do(target, { type: 'restore', snapshot }, { mode: 'paused', digest });
      expect((await target.report())?.failure).toBeUndefined();
    });

    test('a part that does not come is not waited for for ever, and it is said which', async () => {
      const { queue, operator, snapshot } = await written([]);
      // The time is over when what is there has been read.
      let isRead: () => void = () => undefined;
      const read = new Promise<void>((resolve) => (isRead = resolve));
      const { messages } = under();
      const reading: Messages = {
        declareQueue: (name, options) => messages.declareQueue(name, options),
        send: (name, message) => messages.send(name, message),
        peek: (name) => messages.peek(name),
        async *consume(name, options) {
          for await (const delivery of messages.consume(name, options)) {
            yield delivery;
            if (name === snapshot.queue) isRead();
          }
        },
      };
      const target = new Process(reading, queue, {
        startPaused: true,
        timer: (ms, signal) => (ms < 60_000 ? timer(ms, signal) : Promise.race([read, timer(ms, signal)])),
      });
      const lacking = { ...snapshot, chunks: 2, bytes: 128 * 1024 + 1 };
      const { failure } = await operator.do(
        target,
        { type: 'restore', snapshot: lacking },
        { mode: 'paused' },
      );
      expect(failure).toMatch(/chunk 1 of 2 is not in /);
    });
  });
}
