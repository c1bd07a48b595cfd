import { connect, type Socket } from 'node:net';
import { connectAmqp } from '@kubewright/migratable/amqp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessBroker } from '../in-process/in-process-broker.ts';
import { frame } from './frame-parser.ts';
import { writeMethod } from './method.ts';
import { type AmqpServer, serveAmqp } from './serve-amqp.ts';

const HEADER = Buffer.from('AMQP\0\0\u0009\u0001');

describe('hostile clients', () => {
  let server: AmqpServer;
  beforeAll(async () => {
    server = await serveAmqp(new InProcessBroker());
  });
  afterAll(() => server.close());

  /** What the server says to this, until it hangs up. */
  function said(...sent: readonly Uint8Array[]): Promise<string> {
    return new Promise((resolve) => {
      const answer: Buffer[] = [];
      const socket: Socket = connect(server.port, '127.0.0.1', () =>
        sent.forEach((bytes) => socket.write(bytes)),
      );
      socket.on('data', (chunk: Buffer) => answer.push(chunk));
      socket.on('error', () => undefined);
      socket.on('end', () => socket.end());
      socket.on('close', () => resolve(Buffer.concat(answer).toString('latin1')));
    });
  }

  const method = (...given: Parameters<typeof writeMethod>): Buffer =>
    frame('method', 0, writeMethod(...given));
  const login = (response: string): Buffer => method('connection.start-ok', { mechanism: 'PLAIN', response });

  test('another protocol is told which one is spoken here', async () => {
    expect(await said(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toBe(HEADER.toString('latin1'));
  });

  test.each([
    ['not an AMQP frame', Buffer.alloc(64, 0xff), /not an AMQP frame/],
    ['a frame of four gigabytes', Buffer.from([1, 0, 0, 255, 255, 255, 255, 0]), /not an AMQP frame/],
    ['a frame without an end', Buffer.from([1, 0, 0, 0, 0, 0, 1, 7, 7]), /has no end/],
    ['a method that there is not', frame('method', 0, Buffer.from([0, 99, 0, 99])), /no method 99.99/],
    ['a method that is cut off', frame('method', 0, Buffer.from([0, 10, 0, 11, 0, 0, 1, 0])), /not AMQP/],
    ['a table of tables without an end', frame('method', 0, nested(40)), /not AMQP/],
    ['wrong credentials', login('\0guest\0wrong'), /ACCESS_REFUSED/],
    ['a channel before the login', frame('method', 1, writeMethod('channel.open')), /not open yet/],
  ])('%s ends the connection, with a reason', async (_what, bytes, reason) => {
    expect(await said(HEADER, bytes)).toMatch(reason);
  });

  test('bytes that come one by one are understood', async () => {
    const goodbye = Buffer.concat([HEADER, login('\0guest\0guest'), method('connection.close')]);
    const bytes = [...goodbye].map((byte) => Buffer.from([byte]));
    expect(await said(...bytes)).not.toMatch(/not AMQP|REFUSED/);
  });

  test('a message that is too large is rejected, and the connection goes on', async () => {
    const client = connectAmqp({ url: server.url });
    await client.declareQueue('bounded');
    const sent = client.send('bounded', { body: Buffer.alloc(17 * 1024 * 1024) });
    await expect(sent).rejects.toMatchObject({ code: 'Rejected' });
    expect(await client.send('bounded', { body: 'small' })).toBe('sent');
    await client.close();
  });
});

/** Client properties whose only value is such a table again. */
function nested(depth: number): Buffer {
  let table = Buffer.alloc(4);
  for (let level = 0; level < depth; level++) {
    const inner = Buffer.concat([Buffer.from('\u0001aF'), table]);
    table = Buffer.concat([Buffer.alloc(4), inner]);
    table.writeUInt32BE(inner.length);
  }
  return Buffer.concat([Buffer.from([0, 10, 0, 11]), table]);
}

test('an operator in the process sees the head of a queue that a client has in hand', async () => {
  const broker = new InProcessBroker();
  const server = await serveAmqp(broker);
  const client = connectAmqp({ url: server.url });
  const operator = broker.connect();
  broker.declareQueue('status');
  await operator.send('status', { body: 'report' });
  await client.onChannel(async (channel) => {
    await channel.basicGet({ queue: 'status' });
    expect(await operator.queue('status')).toMatchObject({ ready: 0 });
    expect(await operator.peek('status')).toMatchObject({ body: 'report' });
    await operator.send('status', { body: 'newer' });
    expect(await operator.peek('status')).toMatchObject({ body: 'newer' });
  });
  await client.close();
  await server.close();
});
