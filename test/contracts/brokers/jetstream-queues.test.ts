import { type JetStreamConnection, connectJetStream } from '@kubewright/migratable/jetstream';
import type { Delivery } from '@kubewright/migratable';
import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { encodeMessage } from '../../../packages/migratable/src/jetstream/encode-message.ts';
import { NatsLink } from '../../../packages/migratable/src/jetstream/nats-link.ts';
import {
  MESSAGES,
  ownSubject,
  QUEUES,
  recordSubject,
} from '../../../packages/migratable/src/jetstream/record-subject.ts';
import { type NatsServer, startNats, whyNoNats } from '../../servers/nats.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

// What is true of queues in JetStream alone: the rest is in the contracts of brokers and of applications.

const why = whyNoNats();
const HOUR_MS = 3_600_000;
let names = 0;
const unique = (what: string): string => `${what}-${(names += 1)}`;

/** Published on the subject that both queues read, or on another one; or sent to one of them. */
const WAYS = ['log', 'other', 'first', 'second'] as const;
const GETS = { log: ['first', 'second'], other: [], first: ['first'], second: ['second'] } as const;

/** Goes on when a test says so. */
class TestClock {
  #ms = 0;
  readonly monotonic = (): number => performance.now() + this.#ms;
  pass(ms: number): void {
    this.#ms += ms;
  }
}

describe.skipIf(why !== undefined)(
  why === undefined ? 'queues in JetStream' : `queues in JetStream [${why}]`,
  () => {
    let server: NatsServer;
    let admin: NatsLink;
    let messages: JetStreamConnection;
    beforeAll(async () => {
      server = await startNats();
      admin = new NatsLink({ servers: `127.0.0.1:${server.port}` });
      messages = connectJetStream({ url: `nats://127.0.0.1:${server.port}` });
    });
    afterAll(async () => {
      await Promise.all([admin.close(), messages.close()]);
      await server.stop();
    });

    const connectAt = (port: number, clock?: TestClock): JetStreamConnection => {
      const connection = connectJetStream({ url: `nats://127.0.0.1:${port}`, ...(clock && { clock }) });
      onTestFinished(() => connection.close());
      return connection;
    };
    const makeStream = async (config: object = {}): Promise<string> => {
      const name = unique('stream');
      await admin.use(({ streams }) => streams.add({ name, subjects: [`${name}.>`], ...config }));
      return name;
    };
    const publish = async (subject: string, body: unknown): Promise<void> => {
      const { data, headers } = encodeMessage({ body });
      await admin.use((nats) => nats.publish(subject, data, { headers }));
    };
    const take = async (queue: string, count: number, from = messages): Promise<readonly unknown[]> => {
      const taken: unknown[] = [];
      const { signal } = new AbortController();
      if (count === 0) return taken;
      for await (const { message, ack } of from.consume(queue, { prefetch: 50, signal })) {
        taken.push(message.body);
        ack();
        if (taken.length === count) break;
      }
      return taken;
    };
    /** How many messages the broker has on this subject. */
    const stored = async (stream: string, subject: string): Promise<number> => {
      const { state } = await admin.use(({ streams }) => streams.info(stream, { subjects_filter: subject }));
      return state.subjects?.[subject] ?? 0;
    };

    describe('a queue that reads a stream', () => {
      test('what is sent to it comes where it was sent, among what was published, and to nobody else', async () => {
        const bursts = array(record({ to: constantFrom(...WAYS), size: integer({ min: 1, max: 40 }) }), {
          maxLength: 12,
        });
        const property = asyncProperty(bursts, integer({ min: 0, max: 500 }), async (played, early) => {
          const stream = await makeStream();
          const queues = { first: unique('queue'), second: unique('queue') };
          for (const queue of Object.values(queues))
            await messages.subscribe(queue, { stream, subject: `${stream}.log` });
          const expected = { first: [] as number[], second: [] as number[] };
          const readers: Promise<readonly unknown[]>[] = [];
          const ways = played.flatMap(({ to, size }) => Array.from({ length: size }, () => to));
          for (const [number, to] of ways.entries()) {
            // Somebody reads while the rest is published and sent.
            if (number === early) readers.push(take(queues.first, expected.first.length));
            if (to === 'log' || to === 'other') await publish(`${stream}.${to}`, number);
            else expect(await messages.send(queues[to], { body: number })).toBe('sent');
            for (const queue of GETS[to]) expected[queue].push(number);
          }
          const before = (await Promise.all(readers)).flat();
          const rest = await take(queues.first, expected.first.length - before.length);
          expect([...before, ...rest]).toEqual(expected.first);
          expect(await take(queues.second, expected.second.length)).toEqual(expected.second);
          expect(await messages.queue(queues.first)).toEqual({ ready: 0, consumers: 0 });
        });
        await assert(property, { numRuns: 12, endOnFailure: true });
      });

      test('it begins at the first message, or at the next one', async () => {
        const stream = await makeStream();
        for (const seq of [1, 2]) await publish(`${stream}.a`, seq);
        const [first, next] = [unique('first'), unique('next')];
        await messages.subscribe(first, { stream, subject: '>' });
        await messages.subscribe(next, { stream, subject: '>' }, 'next');
        await publish(`${stream}.a`, 3);
        expect(await take(first, 3)).toEqual([1, 2, 3]);
        expect(await take(next, 1)).toEqual([3]);
        // Again: it goes on where it was.
        await messages.subscribe(first, { stream, subject: '>' });
        expect(await messages.queue(first)).toMatchObject({ ready: 0 });
      });

      test('messages of producers that know nothing of this library are understood', async () => {
        const stream = await makeStream();
        const queue = unique('queue');
        await messages.subscribe(queue, { stream, subject: '>' });
        for (const text of ['{"seq":1}', 'text', '{"seq":'])
          await admin.use((nats) => nats.publish(`${stream}.a`, text));
        expect(await take(queue, 3)).toEqual([{ seq: 1 }, Buffer.from('text'), Buffer.from('{"seq":')]);
      });

      test.each([
        ['deletes what was read', { retention: 'workqueue' }, '>', /retention/],
        ['has no such subjects', {}, 'elsewhere.>', /has no subject elsewhere/],
        ['has other subjects than those', {}, 'a b', /not a subject/],
      ])('it reads no stream that %s', async (_what, config, subject, message) => {
        const stream = await makeStream(config);
        const bound = messages.subscribe(unique('queue'), { stream, subject });
        await expect(bound).rejects.toMatchObject({
          code: 'Rejected',
          message: expect.stringMatching(message) as string,
        });
      });

      test('it reads one stream', async () => {
        const [one, other] = [await makeStream(), await makeStream()];
        const queue = unique('queue');
        await messages.subscribe(queue, { stream: one, subject: '>' });
        await expect(messages.subscribe(queue, { stream: other, subject: '>' })).rejects.toMatchObject({
          code: 'Rejected',
        });
        await expect(
          messages.subscribe(unique('queue'), { stream: 'a.b', subject: '>' }),
        ).rejects.toMatchObject({ code: 'NotFound' });
      });

      test('a stream that was made anew is read from its first message', async () => {
        const stream = await makeStream();
        const queue = unique('queue');
        await messages.subscribe(queue, { stream, subject: '>' });
        for (const seq of [1, 2, 3]) await publish(`${stream}.a`, seq);
        await take(queue, 3);
        await admin.use(({ streams }) => streams.delete(stream));
        await admin.use(({ streams }) => streams.add({ name: stream, subjects: [`${stream}.>`] }));
        await publish(`${stream}.a`, 4);
        expect(await take(queue, 1)).toEqual([4]);
      });

      test('MIG-22: a mirror whose log has dropped messages before they were read is full', async () => {
        const stream = await makeStream({ max_msgs: 10 });
        const mirror = unique('mirror');
        await messages.declareQueue(mirror, { maxLength: 1000 });
        await messages.bindQueue(mirror, { stream, subject: '>' });
        for (let seq = 1; seq <= 10; seq++) await publish(`${stream}.a`, seq);
        expect(await messages.queue(mirror)).toMatchObject({ ready: 10 });
        await publish(`${stream}.a`, 11);
        expect(await messages.queue(mirror)).toMatchObject({ ready: 1000 });
      });

      test('nothing is left of those who count', async () => {
        const stream = await makeStream();
        const queue = unique('queue');
        await messages.subscribe(queue, { stream, subject: '>' });
        await publish(`${stream}.a`, 1);
        expect(await messages.queue(queue)).toMatchObject({ ready: 1 });
        const { state } = await admin.use(({ streams }) => streams.info(stream));
        expect(state.consumer_count).toBe(0);
      });
    });

    describe('who has a queue', () => {
      test('MIG-23: a consumer that does not respond has lost it after twenty seconds, and delivers nothing more when it is back', async () => {
        const wire = await startTcpProxy(server);
        onTestFinished(() => wire.close());
        const queue = unique('queue');
        const stream = await makeStream();
        await messages.subscribe(queue, { stream, subject: '>' });
        for (let seq = 1; seq <= 4; seq++) await publish(`${stream}.a`, seq);
        const clock = new TestClock();
        const [stalled, next] = [connectAt(wire.port), connectAt(server.port, clock)];
        const { signal } = new AbortController();
        const first = stalled.consume(queue, { prefetch: 2, signal })[Symbol.asyncIterator]();
        expect(bodyOf(await first.next())).toBe(1);
        wire.stall();
        const taken = take(queue, 4, next);
        await expect.poll(() => messages.queue(queue)).toMatchObject({ consumers: 1 });
        const waited = setInterval(() => clock.pass(5000), 500);
        expect(await taken).toEqual([1, 2, 3, 4]);
        clearInterval(waited);
        wire.flow();
        wire.cut();
        await publish(`${stream}.a`, 5);
        // What it had in hand it may give out; from then on it learns that it has lost the queue, and takes what nobody has.
        const later: unknown[] = [];
        while (later.at(-1) !== 5) later.push(bodyOf(await first.next()));
        expect(later).toEqual([5]);
        await first.return?.();
      });

      test('what was acked before the connection broke does not come again', async () => {
        const wire = await startTcpProxy(server);
        onTestFinished(() => wire.close());
        const queue = unique('queue');
        await messages.declareQueue(queue);
        for (let seq = 1; seq <= 6; seq++) await messages.send(queue, { body: seq });
        const seen: unknown[] = [];
        const { signal } = new AbortController();
        for await (const { message, ack } of connectAt(wire.port).consume(queue, { prefetch: 50, signal })) {
          seen.push(message.body);
          ack();
          if (seen.length % 2 === 0) wire.cut('reset');
          if (message.body === 6) break;
        }
        expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
      });
    });

    describe('names', () => {
      test('whatever a queue is called, it is one of its own', async () => {
        const hostile = [
          '>',
          '*',
          'a.>',
          'a b',
          'ä',
          'a=2eb',
          'a.b',
          '__proto__',
          'x\r\nPUB y 0',
          '$JS.API.>',
        ];
        for (const name of hostile) {
          await messages.declareQueue(name);
          await messages.send(name, { body: name });
        }
        for (const name of hostile) expect(await take(name, 1)).toEqual([name]);
        for (const name of hostile) await messages.deleteQueue(name);
        for (const name of hostile) expect(await messages.queue(name)).toBeUndefined();
      });

      test.each([
        ['none', ''],
        ['a longer one than AMQP has', 'ä'.repeat(128)],
      ])('%s is rejected', async (_what, name) => {
        await expect(messages.declareQueue(name)).rejects.toMatchObject({ code: 'Rejected' });
      });

      test.each([
        ['no JSON', '{'],
        ['no position', '{"options":{}}'],
        ['an owner that is a subject', '{"options":{},"position":{"own":0,"log":0},"owner":"a.>"}'],
        ['a log that is none', '{"options":{},"position":{"own":0,"log":0},"log":{"stream":"a.b"}}'],
        ['a prototype', '{"__proto__":{"options":{},"position":{"own":0,"log":0}}}'],
      ])('a record that somebody else wrote (%s) is an error', async (_what, text) => {
        const queue = unique('queue');
        await messages.declareQueue(queue);
        await admin.use((nats) => nats.publish(recordSubject(queue), text));
        await expect(messages.queue(queue)).rejects.toMatchObject({ code: 'Malformed' });
      });
    });

    describe('a queue that expires', () => {
      test('it is gone when nobody has used it for so long, and what it had is deleted by who declares the next one', async () => {
        const clock = new TestClock();
        const later = connectAt(server.port, clock);
        const [used, unused, plain] = [unique('used'), unique('unused'), unique('plain')];
        for (const queue of [used, unused]) await later.declareQueue(queue, { expiresMs: HOUR_MS });
        await later.declareQueue(plain);
        for (const queue of [used, unused, plain]) await later.send(queue, { body: 1 });
        clock.pass(0.7 * HOUR_MS);
        expect(await later.peek(used)).toMatchObject({ body: 1 });
        clock.pass(0.7 * HOUR_MS);
        expect(await later.peek(unused)).toBeUndefined();
        expect(await later.send(unused, { body: 2 })).toBe('unroutable');
        expect(await stored(MESSAGES, ownSubject(unused))).toBe(1);
        await later.declareQueue(unique('another'));
        expect(await stored(QUEUES, recordSubject(unused))).toBe(0);
        expect(await stored(MESSAGES, ownSubject(unused))).toBe(0);
        expect(await stored(QUEUES, recordSubject(plain))).toBe(1);
        expect(await stored(MESSAGES, ownSubject(plain))).toBe(1);
      });

      test('declared again, it is empty', async () => {
        const clock = new TestClock();
        const later = connectAt(server.port, clock);
        const queue = unique('queue');
        await later.declareQueue(queue, { expiresMs: HOUR_MS });
        await later.send(queue, { body: 1 });
        clock.pass(2 * HOUR_MS);
        // The server's clock is where it was: an hour would be over at once.
        await later.declareQueue(queue, { expiresMs: 9 * HOUR_MS });
        expect(await later.queue(queue)).toEqual({ ready: 0, consumers: 0 });
      });

      test('one that was deleted has a tombstone for as long as its records count, and that of one that does not expire stays', async () => {
        const clock = new TestClock();
        const later = connectAt(server.port, clock);
        const [short, plain] = [unique('short'), unique('plain')];
        await later.declareQueue(short, { expiresMs: HOUR_MS });
        await later.declareQueue(plain);
        for (const queue of [short, plain]) await later.deleteQueue(queue);
        await publish(ownSubject(short), 'on its way');
        clock.pass(0.7 * HOUR_MS);
        await later.declareQueue(unique('next'));
        expect(await stored(QUEUES, recordSubject(short))).toBe(1);
        expect(await stored(MESSAGES, ownSubject(short))).toBe(0);
        clock.pass(0.7 * HOUR_MS);
        await later.declareQueue(unique('next'));
        expect(await stored(QUEUES, recordSubject(short))).toBe(0);
        expect(await stored(QUEUES, recordSubject(plain))).toBe(1);
        for (const queue of [short, plain]) expect(await later.queue(queue)).toBeUndefined();
      });

      test('a message that was on its way to a queue as it was deleted is deleted too', async () => {
        const clock = new TestClock();
        const later = connectAt(server.port, clock);
        await later.declareQueue(unique('first'));
        const gone = ownSubject(unique('gone'));
        await publish(gone, 1);
        clock.pass(HOUR_MS);
        await later.declareQueue(unique('next'));
        expect(await stored(MESSAGES, gone)).toBe(0);
      });
    });
  },
);

function bodyOf({ value }: IteratorResult<Delivery, void>): unknown {
  const { message, ack } = value as Delivery;
  ack();
  return message.body;
}
