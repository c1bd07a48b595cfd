import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connectAmqp } from '@kubewright/migratable/amqp';
import { InProcessBroker, serveAmqp } from '@kubewright/operators';
import { expect, onTestFinished, test } from 'vitest';

const QUEUE = 'orders';
/** In a frame: the class and the method of `basic.cancel`, and of its response. */
const [CANCEL, CANCELLED] = [Buffer.from([0, 60, 0, 30]), Buffer.from([0, 60, 0, 31])];

/** A wire that holds a `basic.cancel` until `beforeCancel` is done, and then what the server has sent until its response is there, too. */
async function wireTo(port: number, beforeCancel: () => void): Promise<number> {
  const listener = createServer((client) => join(client));
  const sockets = new Set<Socket>();
  const join = (client: Socket): void => {
    const server = connect(port, '127.0.0.1');
    let held: Buffer | undefined;
    for (const socket of [client, server]) sockets.add(socket.on('error', () => undefined));
    client.on('data', (data: Buffer) => {
      if (data.includes(CANCEL)) {
        held = Buffer.alloc(0);
        beforeCancel();
      }
      server.write(data);
    });
    server.on('data', (data: Buffer) => {
      if (held === undefined) return void client.write(data);
      held = Buffer.concat([held, data]);
      if (!held.includes(CANCELLED)) return;
      client.write(held);
      held = undefined;
    });
  };
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return (listener.address() as AddressInfo).port;
}

test('messages that come together with the response to the end of a consumer go back like those in hand: in order, and uncounted', async () => {
  const broker = new InProcessBroker();
  const server = await serveAmqp(broker);
  broker.declareQueue(QUEUE, { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 });
  const publish = (...numbers: readonly number[]): void => {
    for (const number of numbers)
      broker.publish('', QUEUE, { body: Buffer.from(String(number)), properties: {} });
  };
  publish(1, 2, 3);
  const port = await wireTo(server.port, () => publish(4, 5, 6));
  const application = connectAmqp({ url: `amqp://127.0.0.1:${port}` });
  const { signal } = new AbortController();
  for await (const { message } of application.consume(QUEUE, { prefetch: 50, exclusive: true, signal })) {
    expect(message.body).toEqual(Buffer.from('1'));
    break;
  }
  await application.close();

  const admin = connectAmqp({ url: `amqp://127.0.0.1:${server.port}` });
  const found: unknown[] = [];
  await admin.onChannel(async (channel) => {
    for (let got = await channel.basicGet(QUEUE); got !== undefined; got = await channel.basicGet(QUEUE))
      found.push([Number(String(got.body)), Number(got.headers?.['x-delivery-count'] ?? 0)]);
  });
  expect(found).toEqual([1, 2, 3, 4, 5, 6].map((number) => [number, 0]));
  await admin.close();
  await server.close();
});
