import { inspect } from 'node:util';
import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { rabbitmqBrokers } from '@kubewright/operators';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migratableContract } from '../../../packages/migratable/src/migratable.contract.ts';
import type { MessagesUnderTest } from '../../../packages/migratable/src/testing/commanded-process.ts';
import { brokerContract } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { type RabbitMq, type RabbitMqRelease, startRabbitMq, whyNoRabbitMq } from '../../servers/rabbitmq.ts';
import { amqpUnderTest } from './amqp-under-test.ts';
import { deniedContract } from './denied.contract.ts';
import { declareWith, type QueueArguments } from './declare-with.ts';
import { messagesUnderTest } from './messages-under-test.ts';
import { type QuorumFacts, quorumQueuesContract } from './quorum-queues.contract.ts';
import { rightsContract } from './rights.contract.ts';
import { windowsContract } from './windows.contract.ts';

/** How primary queues are declared, and what their limits do. */
type Primaries = Readonly<
  Record<string, { readonly args: QueueArguments; readonly windows?: Parameters<typeof windowsContract>[1] }>
>;

export type RabbitMqRow = {
  readonly release: RabbitMqRelease;
  readonly config?: readonly string[];
  readonly primaries: Primaries;
  readonly facts: QuorumFacts;
};

/** Registers all that a migration relies on at one node of RabbitMQ, for each way to declare a primary queue. */
export function describeRabbitMq(title: string, row: RabbitMqRow): void {
  const { release, config = [], primaries, facts } = row;
  const why = whyNoRabbitMq(release);
  describe.skipIf(why !== undefined)(why === undefined ? title : `${title} [${why}]`, () => {
    let server: RabbitMq;
    let under: Awaited<ReturnType<typeof amqpUnderTest>>;
    const url = (): string => `amqp://127.0.0.1:${server.port}`;
    beforeAll(async () => {
      server = await startRabbitMq({ release, config });
      under = await amqpUnderTest(server);
      console.log(`${title}: ${await server.version()}, port ${server.port} of the loopback`);
    });
    afterAll(async () => {
      await under.close();
      await server.stop();
    });

    brokerContract(() => under);
    describe.each(Object.entries(primaries))('with %s', (_title, { args, windows }) => {
      const messages = (): MessagesUnderTest =>
        messagesUnderTest(under, (queue) => declareWith(url(), queue, args));
      migratableContract(messages);
      windowsContract(() => ({ amqp: under, messages: messages() }), windows);
    });
    quorumQueuesContract(url, () => under, facts);

    describe('for a user whose rights are cleared', () => {
      let application: AmqpConnection;
      const urlOf = (): string => `amqp://application:secret@127.0.0.1:${server.port}`;
      const forbid = async (isForbidden: boolean): Promise<void> => {
        if (isForbidden) await server.control('clear_permissions', 'application');
        else await server.control('set_permissions', 'application', '.*', '.*', '.*');
      };
      beforeAll(async () => {
        await server.control('add_user', 'application', 'secret');
        await forbid(false);
        application = connectAmqp({ url: urlOf() });
      });
      afterAll(() => application.close());
      rightsContract(() => ({ under: messagesUnderTest(under), messages: application, forbid }));
      deniedContract(() => ({ brokers: rabbitmqBrokers(), url: urlOf(), forbid }));
    });

    test('wrong credentials are an error that names neither user nor password', async () => {
      const brokers = rabbitmqBrokers();
      const credentials = { username: 'somebody', password: 'a-secret' };
      const asked = brokers.at({ url: url(), credentials }).queue('any');
      const error = await asked.catch((reason: Error) => reason);
      expect(error).toMatchObject({
        code: 'Unavailable',
        message: expect.stringMatching(/ACCESS_REFUSED/) as string,
      });
      expect(inspect(error, { depth: 9 })).not.toMatch(/a-secret|somebody/);
      await brokers.close();
    });

    test('MIG-15: what was confirmed is there after the broker was killed and started again', async () => {
      const { broker } = under;
      await broker.declareQueue('durable');
      for (let seq = 1; seq <= 20; seq++) await broker.send('durable', { body: { seq } });
      await expect.poll(() => server.hasOnDisk('durable')).toBe(true);
      await server.restart();
      await expect
        .poll(() => broker.queue('durable').catch(() => 'away'))
        .toEqual({ ready: 20, consumers: 0 });
      await expect.poll(() => broker.peek('durable')).toMatchObject({ body: { seq: 1 } });
    });
  });
}
