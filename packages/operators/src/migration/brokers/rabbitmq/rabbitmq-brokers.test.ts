import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AmqpServer, serveAmqp } from '../amqp/serve-amqp.ts';
import { InProcessBroker } from '../in-process/in-process-broker.ts';
import { rabbitmqBrokers } from './rabbitmq-brokers.ts';

const QUEUE = 'orders-0';
const brokers = rabbitmqBrokers();
const servers: AmqpServer[] = [];

beforeAll(async () => {
  for (let index = 0; index < 2; index++) servers.push(await serveAmqp(new InProcessBroker()));
});
afterAll(async () => {
  await brokers.close();
  await Promise.all(servers.map((server) => server.close()));
});

test('MIG-16 two migrations with different brokers share nothing: what one finishes, or loses, the other keeps', async () => {
  const [first, second] = servers.map(({ url }) => brokers.at({ url }));
  await first?.declareQueue(QUEUE);
  await second?.declareQueue(QUEUE);
  await second?.send(QUEUE, { body: { seq: 1 } });
  expect(await first?.queue(QUEUE)).toMatchObject({ ready: 0 });
  // The first one is finished, and then its broker goes.
  await first?.deleteQueue(QUEUE);
  expect(await second?.queue(QUEUE)).toMatchObject({ ready: 1 });
  await servers[0]?.close();
  await expect(first?.queue(QUEUE)).rejects.toMatchObject({ code: 'Unavailable' });
  expect(await second?.peek(QUEUE)).toMatchObject({ body: { seq: 1 } });
});
