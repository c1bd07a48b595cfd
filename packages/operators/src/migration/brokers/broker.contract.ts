import type { Delivery, Message, Messages } from '@kubewright/migratable';
import { describe, expect, test } from 'vitest';
import type { Broker } from './broker.ts';

/** A broker, with what an administrator and the network do to it. */
export type BrokerUnderTest = {
  readonly broker: Broker;
  /** A connection of its own. */
  readonly messages: Messages;
  readonly declareExchange: (name: string, type: 'fanout' | 'direct' | 'topic') => Promise<void>;
  readonly publish: (exchange: string, routingKey: string, messages: readonly Message[]) => Promise<void>;
  /** Every connection breaks. */
  readonly disconnect: () => Promise<void>;
};

/** A type of exchange: the key of a binding, keys of messages that it takes, and one that it does not take. */
type Route = {
  readonly type: 'fanout' | 'direct' | 'topic';
  readonly key: string;
  readonly keys: readonly [string, ...(readonly string[])];
  readonly foreign?: string;
};

/** What is not the same for all brokers. */
export type BrokerKind = {
  readonly routes: readonly Route[];
  /** A key as the exchange has it. */
  readonly keyOf: (exchange: string, key: string) => string;
  /** What a consumer has in hand is ready still: a position in a log moves with the acks, and nothing is taken from the log. */
  readonly countsInHand: boolean;
};

const AMQP: BrokerKind = {
  routes: [
    { type: 'fanout', key: '', keys: ['any', 'other'] },
    { type: 'direct', key: 'any', keys: ['any'], foreign: 'other' },
    { type: 'topic', key: 'a.*.#', keys: ['a.x', 'a.x.y.z'], foreign: 'b.#' },
  ],
  keyOf: (_exchange, key) => key,
  countsInHand: false,
};

let names = 0;
/** One that no other test uses. */
const unique = (what: string): string => `${what}-${(names += 1)}`;

const numbered = (from: number, to: number): readonly Message[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ body: { seq: from + index } }));

const seqOf = ({ body }: Message): number => (body as { readonly seq: number }).seq;

/** Registers what both sides rely on. */
export function brokerContract(under: () => BrokerUnderTest, kind: BrokerKind = AMQP): void {
  const { routes, keyOf, countsInHand } = kind;

  async function queueWith(messages: readonly Message[]): Promise<string> {
    const queue = unique('queue');
    await under().broker.declareQueue(queue);
    for (const message of messages) await under().broker.send(queue, message);
    return queue;
  }

  /** Takes `count` messages and acks all but the last `left`. */
  async function take(queue: string, count: number, left = 0): Promise<readonly number[]> {
    const taken: number[] = [];
    const { signal } = new AbortController();
    if (count === 0) return taken;
    for await (const { message, ack } of under().messages.consume(queue, { prefetch: 10, signal })) {
      taken.push(seqOf(message));
      if (taken.length <= count - left) ack();
      if (taken.length === count) break;
    }
    return taken;
  }

  /** As soon as it is there. */
  async function sentInto(queue: string, seq: number): Promise<void> {
    await expect.poll(() => under().broker.send(queue, { body: { seq } })).toBe('sent');
  }

  describe('queues', () => {
    test('a message arrives as it was sent, whatever it holds', async () => {
      const sent: readonly Message[] = [
        { headers: { text: 'ü', number: 7, flag: true }, body: { nested: [1, { two: null }] } },
        { body: 'a text' },
        { body: Buffer.from([0, 255, 128]) },
        { body: { __proto__: 1, constructor: 'x' } },
      ];
      const queue = await queueWith(sent);
      const { signal } = new AbortController();
      const got: Message[] = [];
      for await (const { message, ack } of under().messages.consume(queue, { prefetch: 1, signal })) {
        got.push(message);
        ack();
        if (got.length === sent.length) break;
      }
      expect(got.map(({ body }) => body)).toEqual(sent.map(({ body }) => body));
      expect(got[0]?.headers).toMatchObject({ text: 'ü', number: 7, flag: true });
    });

    test('a message of a megabyte arrives whole', async () => {
      const queue = await queueWith([{ body: Buffer.alloc(1_000_000, 7) }]);
      const { body } = (await under().broker.peek(queue)) ?? {};
      expect(Buffer.compare(body as Buffer, Buffer.alloc(1_000_000, 7))).toBe(0);
    });

    test('a queue is declared twice without harm, and rejected with other options', async () => {
      const { broker } = under();
      const queue = unique('queue');
      await broker.declareQueue(queue, { maxLength: 5 });
      await broker.declareQueue(queue, { maxLength: 5 });
      await expect(broker.declareQueue(queue)).rejects.toMatchObject({ code: 'Failed' });
    });

    test('MIG-21: a queue that is missing is undefined, and everything else goes on', async () => {
      const { broker } = under();
      const queue = await queueWith(numbered(1, 3));
      const missing = unique('missing');
      const asked = [broker.queue(missing), broker.queue(queue), broker.peek(missing), broker.queue(queue)];
      expect(await Promise.all(asked)).toEqual([
        undefined,
        { ready: 3, consumers: 0 },
        undefined,
        { ready: 3, consumers: 0 },
      ]);
      expect(await broker.exchangeExists(missing)).toBe(false);
      await broker.deleteQueue(missing);
      await broker.unbind({ queue: missing, exchange: missing, routingKey: '' });
      expect(await broker.send(missing, { body: 'lost' })).toBe('unroutable');
      expect(await broker.send(queue, { body: { seq: 4 } })).toBe('sent');
    });

    test('the head of a queue stays there, however often it is looked at', async () => {
      const { broker } = under();
      const queue = await queueWith(numbered(1, 2));
      for (let times = 0; times < 3; times++) expect((await broker.peek(queue))?.body).toEqual({ seq: 1 });
      expect(await take(queue, 2)).toEqual([1, 2]);
    });

    test('the head of a queue is seen by everybody who looks at the same time', async () => {
      const { broker, messages } = under();
      const queue = await queueWith(numbered(1, 1));
      const looks = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? broker : messages).peek(queue),
      );
      const seen = await Promise.all(looks);
      expect(seen.map((head) => head?.body)).toEqual(looks.map(() => ({ seq: 1 })));
    });

    test('a queue of one message holds the last one', async () => {
      const { broker } = under();
      const queue = unique('status');
      await broker.declareQueue(queue, { maxLength: 1 });
      for (const message of numbered(1, 5)) {
        await broker.send(queue, message);
        expect((await broker.peek(queue))?.body).toEqual(message.body);
      }
      expect(await broker.queue(queue)).toMatchObject({ ready: 1 });
    });

    test('MIG-22: a queue that is full drops its oldest messages, and its length says so', async () => {
      const { broker } = under();
      const queue = unique('mirror');
      await broker.declareQueue(queue, { maxLength: 3 });
      for (const message of numbered(1, 5)) await broker.send(queue, message);
      expect(await broker.queue(queue)).toMatchObject({ ready: 3 });
      expect(await take(queue, 3)).toEqual([3, 4, 5]);
    });
  });

  describe('exchanges', () => {
    test.each(routes)(
      'MIG-19: a mirror gets what the primary gets, on a $type exchange',
      async ({ type, key, keys, foreign }) => {
        const { broker, declareExchange, publish } = under();
        const exchange = unique('exchange');
        await declareExchange(exchange, type);
        expect(await broker.exchangeExists(exchange)).toBe(true);
        const [primary, mirror] = [await queueWith([]), await queueWith([])];
        const routingKey = keyOf(exchange, key);
        for (const queue of [primary, mirror, mirror]) await broker.bind({ queue, exchange, routingKey });
        for (const [index, one] of keys.entries())
          await publish(exchange, keyOf(exchange, one), [{ body: { seq: index } }]);
        if (foreign !== undefined)
          await publish(exchange, keyOf(exchange, foreign), [{ body: 'for somebody else' }]);
        const expected = keys.map((_key, index) => index);
        expect(await take(primary, keys.length)).toEqual(expected);
        expect(await take(mirror, keys.length)).toEqual(expected);
        await broker.unbind({ queue: mirror, exchange, routingKey });
        await publish(exchange, keyOf(exchange, keys[0]), [{ body: { seq: 9 } }]);
        expect(await broker.queue(mirror)).toMatchObject({ ready: 0 });
        expect(await broker.queue(primary)).toMatchObject({ ready: 1 });
      },
    );

    test('nothing is bound to what is not there, and no exchange is made', async () => {
      const { broker } = under();
      const queue = await queueWith([]);
      const exchange = unique('missing');
      const bound = broker.bind({ queue, exchange, routingKey: '' });
      await expect(bound).rejects.toMatchObject({ code: 'NotFound', retryable: false });
      expect(await broker.exchangeExists(exchange)).toBe(false);
    });
  });

  describe('consumers', () => {
    test('MIG-18: what a consumer has in hand is not ready, and comes back in its order', async () => {
      const { broker, messages } = under();
      const queue = await queueWith(numbered(1, 5));
      const stop = new AbortController();
      const consumed = messages.consume(queue, { prefetch: 10, signal: stop.signal });
      const iterator = consumed[Symbol.asyncIterator]();
      const first = await iterator.next();
      expect(seqOf((first.value as Delivery).message)).toBe(1);
      const ready = countsInHand ? 5 : 0;
      await expect.poll(() => broker.queue(queue)).toEqual({ ready, consumers: 1 });
      stop.abort();
      expect(await iterator.next()).toMatchObject({ done: true });
      await expect.poll(() => broker.queue(queue)).toEqual({ ready: 5, consumers: 0 });
      await broker.send(queue, { body: { seq: 6 } });
      expect(await take(queue, 6)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test('what was acked is gone, what was not comes again', async () => {
      const queue = await queueWith(numbered(1, 5));
      expect(await take(queue, 3, 1)).toEqual([1, 2, 3]);
      expect(await take(queue, 3)).toEqual([3, 4, 5]);
    });

    test('what is not acked stays in hand while the next ones come, and is back in its order at the end', async () => {
      const { broker, messages } = under();
      const queue = await queueWith(numbered(1, 5));
      const seen: number[] = [];
      const { signal } = new AbortController();
      for await (const { message } of messages.consume(queue, { prefetch: 65_535, signal })) {
        seen.push(seqOf(message));
        if (seen.length === 5) break;
      }
      expect(seen).toEqual([1, 2, 3, 4, 5]);
      await expect.poll(() => broker.queue(queue)).toEqual({ ready: 5, consumers: 0 });
      expect(await take(queue, 5)).toEqual([1, 2, 3, 4, 5]);
    });

    test('no more messages are handed out than are asked for', async () => {
      const { broker, messages } = under();
      const queue = await queueWith(numbered(1, 10));
      const stop = new AbortController();
      const iterator = messages.consume(queue, { prefetch: 4, signal: stop.signal })[Symbol.asyncIterator]();
      await iterator.next();
      await expect.poll(() => broker.queue(queue)).toMatchObject({ ready: countsInHand ? 10 : 6 });
      stop.abort();
      await iterator.next();
    });

    test('who consumes alone keeps others waiting, until it ends', async () => {
      const { broker, messages } = under();
      const queue = await queueWith(numbered(1, 2));
      const first = new AbortController();
      const holder = messages.consume(queue, { prefetch: 1, exclusive: true, signal: first.signal });
      const held = holder[Symbol.asyncIterator]();
      await held.next();
      const second = new AbortController();
      const options = { prefetch: 1, exclusive: true, signal: second.signal };
      const waiting = messages.consume(queue, options)[Symbol.asyncIterator]();
      const next = waiting.next();
      expect(await broker.queue(queue)).toEqual({ ready: countsInHand ? 2 : 1, consumers: 1 });
      first.abort();
      await held.next();
      expect(seqOf(((await next).value as Delivery).message)).toBe(1);
      second.abort();
      await waiting.next();
    });

    test('a consumer waits for a queue that is not there yet', async () => {
      const { broker } = under();
      const queue = unique('later');
      const taken = take(queue, 1);
      expect(await broker.queue(queue)).toBeUndefined();
      await broker.declareQueue(queue);
      await broker.send(queue, { body: { seq: 1 } });
      expect(await taken).toEqual([1]);
    });

    test('a consumer declares its queue again that the broker has forgotten, if it is to', async () => {
      const { broker } = under();
      const queue = unique('forgotten');
      const declare = { expiresMs: 60_000 };
      const taken: number[] = [];
      const consumed = under().messages.consume(queue, {
        prefetch: 1,
        signal: new AbortController().signal,
        declare,
      });
      const consuming = (async () => {
        for await (const { message, ack } of consumed) {
          taken.push(seqOf(message));
          ack();
          if (taken.length === 2) return;
        }
      })();
      await sentInto(queue, 1);
      await expect.poll(() => taken).toEqual([1]);
      await broker.deleteQueue(queue);
      await sentInto(queue, 2);
      await consuming;
      await broker.declareQueue(queue, declare);
    });

    test('a consumer whose signal is aborted takes nothing', async () => {
      const queue = await queueWith(numbered(1, 1));
      const consumed = under().messages.consume(queue, { prefetch: 1, signal: AbortSignal.abort() });
      expect(await consumed[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
      expect(await under().broker.queue(queue)).toEqual({ ready: 1, consumers: 0 });
    });
  });

  describe('connections', () => {
    test('MIG-14: a consumer whose connection breaks goes on: nothing is lost, what was in hand comes again', async () => {
      const queue = await queueWith(numbered(1, 20));
      const { signal } = new AbortController();
      const taken: number[] = [];
      for await (const { message, ack } of under().messages.consume(queue, { prefetch: 5, signal })) {
        taken.push(seqOf(message));
        if (taken.length === 7) await under().disconnect();
        ack();
        if (seqOf(message) === 20) break;
      }
      expect([...new Set(taken)]).toEqual(numbered(1, 20).map(seqOf));
      // Only what was in hand, or handed out and not yet acked, when it broke.
      expect(taken.length).toBeLessThanOrEqual(20 + 5);
      expect(await under().broker.queue(queue)).toMatchObject({ ready: 0 });
    });

    test('an operator goes on after its connection broke', async () => {
      const { broker } = under();
      const queue = await queueWith(numbered(1, 1));
      await under().disconnect();
      await expect.poll(() => broker.queue(queue).catch(() => 'lost')).toMatchObject({ ready: 1 });
      expect(await broker.send(queue, { body: { seq: 2 } })).toBe('sent');
    });
  });
}
