import { type AmqpConnection, connectAmqp } from '@kubewright/migratable/amqp';
import { type AmqpServer, InProcessBroker, serveAmqp } from '@kubewright/operators';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

const QUEUE = 'orders';
const RESPONSE_MS = 3000;

const broker = new InProcessBroker();
const connections: AmqpConnection[] = [];
let server: AmqpServer;
let wire: TcpProxy;

beforeAll(async () => {
  broker.declareQueue(QUEUE);
  server = await serveAmqp(broker);
  wire = await startTcpProxy(server);
});
afterAll(async () => {
  await Promise.all(connections.map((one) => one.close()));
  await wire.close();
  await server.close();
});

function connectTo({ port }: { readonly port: number }): AmqpConnection {
  const connection = connectAmqp({ url: `amqp://127.0.0.1:${port}`, responseMs: RESPONSE_MS });
  connections.push(connection);
  return connection;
}

test('a request to a broker that is silent is given up; a consumer keeps its channel for as long as it wants', async () => {
  const [operator, application] = [connectTo(wire), connectTo(server)];
  await operator.declareQueue(QUEUE);
  await application.onChannel(async (channel) => {
    const lost: unknown[] = [];
    channel.on('error', (error) => lost.push(error));
    const redelivered = new Promise<boolean | undefined>((resolve) => {
      channel
        .basicConsume({ queue: QUEUE }, (message) => {
          resolve(message.redelivered);
          channel.basicAck({ deliveryTag: message.deliveryTag });
        })
        .catch(resolve);
    });
    await channel.queueDeclare({ queue: QUEUE, passive: true });
    wire.stall();
    // It begins later: when it is over, the application has used its channel for longer than a request may take.
    await expect(operator.declareQueue(QUEUE)).rejects.toThrow(
      `127.0.0.1:${wire.port} did not respond within 3 seconds`,
    );
    broker.publish('', QUEUE, { body: Buffer.from('1'), properties: {} });
    expect(await redelivered).toBe(false);
    expect(await channel.queueDeclare({ queue: QUEUE, passive: true })).toMatchObject({ consumerCount: 1 });
    expect(lost).toEqual([]);
  });
});
