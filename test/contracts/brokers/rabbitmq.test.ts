import { inspect } from 'node:util';
import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { rabbitmqBrokers } from '@kubewright/operators';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migratableContract } from '../../../packages/migratable/src/migratable.contract.ts';
import { brokerContract } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { type RabbitMq, startRabbitMq, whyNoRabbitMq } from '../../servers/rabbitmq.ts';
import { amqpUnderTest } from './amqp-under-test.ts';
import { messagesUnderTest } from './messages-under-test.ts';
import { quorumQueuesContract } from './quorum-queues.contract.ts';
import { rightsContract } from './rights.contract.ts';

const why = whyNoRabbitMq();

describe.skipIf(why !== undefined)(why === undefined ? 'RabbitMQ' : `RabbitMQ [${why}]`, () => {
  let server: RabbitMq;
  let under: Awaited<ReturnType<typeof amqpUnderTest>>;
  beforeAll(async () => {
    server = await startRabbitMq();
    under = await amqpUnderTest(server);
    console.log(`RabbitMQ runs on port ${server.port} of the loopback`);
  });
  afterAll(async () => {
    await under.close();
    await server.stop();
  });

  brokerContract(() => under);
  describe('with a classic queue', () => migratableContract(() => messagesUnderTest(under)));
  quorumQueuesContract(
    () => `amqp://127.0.0.1:${server.port}`,
    () => under,
  );

  describe('for a user whose rights are cleared', () => {
    let messages: AmqpConnection;
    const forbid = async (isForbidden: boolean): Promise<void> => {
      if (isForbidden) await server.control('clear_permissions', 'application');
      else await server.control('set_permissions', 'application', '.*', '.*', '.*');
    };
    beforeAll(async () => {
      await server.control('add_user', 'application', 'secret');
      await forbid(false);
      messages = connectAmqp({ url: `amqp://application:secret@127.0.0.1:${server.port}` });
    });
    afterAll(() => messages.close());
    rightsContract(() => ({ under: messagesUnderTest(under), messages, forbid }));
  });

  test('wrong credentials are an error that names neither user nor password', async () => {
    const brokers = rabbitmqBrokers();
    const credentials = { username: 'somebody', password: 'a-secret' };
    const asked = brokers.at({ url: `amqp://127.0.0.1:${server.port}`, credentials }).queue('any');
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
    await expect.poll(() => broker.queue('durable').catch(() => 'away')).toEqual({ ready: 20, consumers: 0 });
    await expect.poll(() => broker.peek('durable')).toMatchObject({ body: { seq: 1 } });
  });
});
