import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { describe, expect, test } from 'vitest';
import type { BrokerUnderTest } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { declareWith, type QueueArguments } from './declare-with.ts';

/** What is not the same for all versions of RabbitMQ. */
export type QuorumFacts = {
  /** Quorum queues count what is nacked, and without a limit put it behind all messages: 3.10 does, and 4.3 does not. */
  readonly countsNacks: boolean;
  /** Of queues that are declared without one. */
  readonly defaultType: 'classic' | 'quorum';
};

const QUORUM: QueueArguments = { 'x-queue-type': 'quorum' };
const LIMITED: QueueArguments = { ...QUORUM, 'x-delivery-limit': 3 };

const MOST_QUEUES = 50;

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

let names = 0;
const unique = (what: string): string => `${what}-${(names += 1)}`;

/** Registers what migrations rely on, and reckon with, where somebody has declared a queue as a quorum queue. */
export function quorumQueuesContract(
  url: () => string,
  under: () => BrokerUnderTest,
  { countsNacks, defaultType }: QuorumFacts,
): void {
  /** One message, taken and given back `times` times. */
  async function returned(args: QueueArguments, times: number, how: 'nack' | 'close'): Promise<unknown> {
    const queue = unique('returned');
    await declareWith(url(), queue, args);
    await under().broker.send(queue, { body: 1 });
    const client = connectAmqp({ url: url() });
    for (let time = 0; time < times; time++)
      await client.onChannel(async (channel) => {
        const got = await channel.basicGet({ queue });
        if (got !== undefined && how === 'nack') channel.basicNack({ deliveryTag: got.deliveryTag });
      });
    const left = await client.onChannel((channel) => channel.basicGet({ queue }));
    await client.close();
    return left?.body;
  }

  /** The order of a queue whose consumer has acked some messages and was cancelled at once, and has then nacked what it had in hand. */
  async function cancelled(
    client: AmqpConnection,
    { messages, prefetch, acked }: Readonly<Record<'messages' | 'prefetch' | 'acked', number>>,
  ): Promise<readonly number[]> {
    const queue = unique('cancelled');
    await declareWith(url(), queue, QUORUM);
    for (const body of numbers(1, messages)) await under().broker.send(queue, { body });
    await client.onChannel(async (channel) => {
      await channel.basicQos({ prefetchCount: prefetch });
      const tags: number[] = [];
      const { consumerTag } = await channel.basicConsume({ queue }, ({ deliveryTag }) => {
        tags.push(deliveryTag);
      });
      await expect.poll(() => tags.length).toBe(prefetch);
      for (const deliveryTag of tags.slice(0, acked)) channel.basicAck({ deliveryTag });
      await channel.basicCancel({ consumerTag });
      channel.basicNack({ deliveryTag: 0, multiple: true });
      await expect.poll(() => under().broker.queue(queue)).toMatchObject({ ready: messages - acked });
    });
    return client.onChannel(async (channel) => {
      const order: number[] = [];
      for (let left = messages - acked; left > 0; left--)
        order.push(Number((await channel.basicGet({ queue }))?.body));
      return order;
    });
  }

  describe('MIG-20: quorum queues', () => {
    test('one is looked at, bound, filled and deleted', async () => {
      const { broker, declareExchange } = under();
      await declareWith(url(), 'quorum', QUORUM);
      await declareExchange('to-quorum', 'fanout');
      await broker.bind({ queue: 'quorum', exchange: 'to-quorum', routingKey: '' });
      expect(await broker.send('quorum', { body: 1 })).toBe('sent');
      await expect.poll(() => broker.queue('quorum')).toEqual({ ready: 1, consumers: 0 });
      await broker.deleteQueue('quorum');
      expect(await broker.queue('quorum')).toBeUndefined();
    });

    test('one that has the name of a queue of the protocol is rejected, with what to do', async () => {
      await declareWith(url(), 'ms2m.status.other', QUORUM);
      const message = expect.stringMatching(/delete queue 'ms2m\.status\.other'/) as string;
      const rejected = under().broker.declareQueue('ms2m.status.other', { maxLength: 1 });
      await expect(rejected).rejects.toMatchObject({ code: 'Failed', message });
      await expect(under().messages.declareQueue('ms2m.status.other')).rejects.toMatchObject({ message });
    });

    test('they take a second consumer that wants to be alone', async () => {
      const queue = unique('shared');
      await declareWith(url(), queue, QUORUM);
      const client = connectAmqp({ url: url() });
      const consume = (use: () => Promise<void>): Promise<void> =>
        client.onChannel(async (channel) => {
          await channel.basicConsume({ queue, exclusive: true }, () => undefined);
          await use();
        });
      await consume(() =>
        consume(async () => {
          await expect.poll(() => under().broker.queue(queue)).toMatchObject({ consumers: 2 });
        }),
      );
      await client.close();
    });

    test('the delivery limit of one is read, whatever else it was declared with, and no queue is made', async () => {
      const limitOf = async (args: QueueArguments): Promise<unknown> => {
        const queue = unique('limit');
        await declareWith(url(), queue, args);
        return under().broker.deliveryLimit(queue);
      };
      const version = expect.stringMatching(/^\d+\.\d+/) as string;
      const facts = { countsPauses: countsNacks, version };
      const others = {
        'x-dead-letter-exchange': 'dead',
        'x-dead-letter-routing-key': '3',
        'x-max-length': 1000,
        'x-overflow': 'reject-publish',
        'x-expires': 3_600_000,
        'x-message-ttl': 3_600_000,
        'x-single-active-consumer': true,
      };
      expect(await limitOf(LIMITED)).toEqual({ limit: 3, isOwn: true, ...facts });
      expect(await limitOf({ ...others, ...LIMITED })).toEqual({ limit: 3, isOwn: true, ...facts });
      const standard = countsNacks ? undefined : { limit: 20, isOwn: false, ...facts };
      expect(await limitOf(QUORUM)).toEqual(standard);
      expect(await limitOf({ ...QUORUM, ...others })).toEqual(standard);
      expect(await limitOf({ ...QUORUM, 'x-delivery-limit': -1 })).toBeUndefined();
      expect(await limitOf({ 'x-queue-type': 'classic' })).toBeUndefined();
      expect(await under().broker.deliveryLimit('limit-of-none')).toBeUndefined();
      expect(await under().broker.queue('limit-of-none')).toBeUndefined();
    });

    test.each(['classic', 'quorum'])(
      'a queue of an application that declares it, too, is as its other %s queue, or without options',
      async (type) => {
        const [own, like, plain] = [unique('own'), unique('like'), unique('plain')];
        const args: QueueArguments = {
          'x-queue-type': type,
          'x-max-length': 1000,
          'x-overflow': 'reject-publish',
        };
        await declareWith(url(), own, args);
        for (const _time of ['first', 'second']) {
          await under().broker.declarePlainQueue(like, own);
          await under().broker.declarePlainQueue(plain);
        }
        await declareWith(url(), like, args);
        await declareWith(url(), plain, {});
        const other = type === 'classic' ? 'quorum' : 'classic';
        await expect(declareWith(url(), like, { ...args, 'x-queue-type': other })).rejects.toThrow(
          'inequivalent',
        );
      },
    );

    test('they drop what comes back by closed channels more often than their limit', async () => {
      expect(await returned(LIMITED, 3, 'close')).toBe(1);
      expect(await returned(LIMITED, 4, 'close')).toBeUndefined();
    });

    test('what is nacked comes before what was not handed out yet, or behind it, by the version', async () => {
      const queue = unique('nacked');
      await declareWith(url(), queue, QUORUM);
      for (const body of [1, 2]) await under().broker.send(queue, { body });
      const client = connectAmqp({ url: url() });
      const next = await client.onChannel(async (channel) => {
        const { deliveryTag } = (await channel.basicGet({ queue })) ?? {};
        channel.basicNack({ deliveryTag: Number(deliveryTag) });
        await expect.poll(() => under().broker.queue(queue)).toMatchObject({ ready: 2 });
        return (await channel.basicGet({ queue }))?.body;
      });
      await client.close();
      expect(next).toBe(countsNacks ? 2 : 1);
    });

    test('what comes back is behind what came back before', async () => {
      const queue = unique('behind');
      await declareWith(url(), queue, QUORUM);
      for (const body of [1, 2, 3]) await under().broker.send(queue, { body });
      const client = connectAmqp({ url: url() });
      const got = await client.onChannel(async (channel) => {
        const take = async (): Promise<unknown> => (await channel.basicGet({ queue }))?.body;
        const giveBack = (): void => channel.basicNack({ deliveryTag: 0, multiple: true });
        for (let count = 0; count < 3; count++) await take();
        giveBack();
        const taken: unknown[] = [];
        for (let count = 0; count < 3; count++) {
          taken.push(await take());
          giveBack();
        }
        return taken;
      });
      await client.close();
      expect(got).toEqual([1, 2, 3]);
    });

    test('what was about to be handed out when its consumer is cancelled comes back by itself, before what that has in hand', async () => {
      const [messages, prefetch, acked] = [12, 6, 3];
      const client = connectAmqp({ url: url() });
      let overtaken = 0;
      // How many arrive before the cancel depends on the machine.
      for (let queues = 0; overtaken === 0 && queues < MOST_QUEUES; queues++) {
        const order = await cancelled(client, { messages, prefetch, acked });
        const back = order.filter((number) => number <= prefetch + acked);
        const fresh = order.filter((number) => number > prefetch + acked);
        overtaken = back.indexOf(acked + 1);
        const rotated = [...back.slice(overtaken), ...back.slice(0, overtaken)];
        expect(rotated).toEqual(numbers(acked + 1, prefetch + acked));
        expect(order).toEqual(countsNacks ? [...fresh, ...back] : [...back, ...fresh]);
      }
      expect(overtaken).toBeGreaterThan(0);
      await client.close();
    });

    test('what is nacked counts or not, by the version', async () => {
      expect(await returned(LIMITED, 4, 'nack')).toBe(countsNacks ? undefined : 1);
    });
  });

  test('a queue that an earlier version declared, without a type, is declared again where it is a classic queue', async () => {
    const queue = unique('earlier');
    await declareWith(url(), queue, { 'x-max-length': 1 });
    const again = under().broker.declareQueue(queue, { maxLength: 1 });
    if (defaultType === 'classic') await again;
    else await expect(again).rejects.toThrow(`delete queue '${queue}'`);
  });
}
