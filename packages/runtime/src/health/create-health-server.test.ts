import { connect } from 'node:net';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createHealthServer } from './create-health-server.ts';

test('metrics that are requested many times at once are collected once, and each response has them', async () => {
  const stop = new AbortController();
  let collected = 0;
  class Counted extends Registry {
    override async metrics(): Promise<string> {
      collected++;
      return super.metrics();
    }
  }
  const health = () => ({ live: true, ready: true, reasons: [], degraded: [], kinds: [] });
  const log = { error: () => undefined } as never;
  let running: Promise<void> = Promise.resolve();
  const port = await new Promise<number>((onListening) => {
    const options = { port: 0, host: '127.0.0.1', onListening };
    running = createHealthServer({ registry: new Counted(), log, health }, options).start(stop.signal);
  });
  const socket = connect(port, '127.0.0.1');
  const get = 'GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n';
  socket.write(get.repeat(49) + get.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect(text.split('HTTP/1.1 200 OK').length - 1).toBe(50);
  expect(collected).toBe(1);
  stop.abort();
  await running;
});
