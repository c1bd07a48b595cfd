import { connectAmqp } from '@kubewright/migratable/amqp';
import { describe, expect, test } from 'vitest';
import { migratableContract } from '../../../packages/migratable/src/migratable.contract.ts';
import type { BrokerUnderTest } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { messagesUnderTest } from './messages-under-test.ts';

/** Registers what a migration relies on where somebody has declared the primary queue as a quorum queue. */
export function quorumQueuesContract(url: () => string, under: () => BrokerUnderTest): void {
  const declare = async (queue: string): Promise<void> => {
    const admin = connectAmqp({ url: url() });
    const declared = { queue, durable: true, arguments: { 'x-queue-type': 'quorum' } } as const;
    await admin.onChannel(async (channel) => void (await channel.queueDeclare(declared)));
    await admin.close();
  };

  describe('MIG-20: with a quorum queue', () => {
    migratableContract(() => messagesUnderTest(under(), declare));

    test('it is looked at, bound, filled and deleted, and never declared anew, which would fail', async () => {
      const { broker, declareExchange } = under();
      await declare('quorum');
      await declareExchange('to-quorum', 'fanout');
      await broker.bind({ queue: 'quorum', exchange: 'to-quorum', routingKey: '' });
      expect(await broker.send('quorum', { body: 1 })).toBe('sent');
      await expect.poll(() => broker.queue('quorum')).toEqual({ ready: 1, consumers: 0 });
      await expect(broker.declareQueue('quorum')).rejects.toMatchObject({ code: 'Failed' });
      await broker.deleteQueue('quorum');
      expect(await broker.queue('quorum')).toBeUndefined();
    });
  });
}
