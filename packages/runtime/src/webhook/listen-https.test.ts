import { expect, it } from 'vitest';
import { connectRaw, http2Frames } from '../../../../test/support/raw-peer.ts';
import { allowed } from './admission-response.ts';
import { admissionWebhook } from './admission-webhook.ts';
import { ask, review, webhookBench } from './testing/webhook-bench.ts';

const { serve, session } = webhookBench();

it('a webhook server goes on when a connection ends before node announces its requests', async () => {
  const running = await serve({ '/any': admissionWebhook(() => allowed()) });
  const { socket } = await connectRaw({ port: running.port, alpn: ['h2'] });
  socket.write(http2Frames.preface());
  // Many records and the end: node reads them all, and closes the session, before it announces the last requests.
  for (let id = 1; id < 2600; id += 2) {
    socket.write(http2Frames.post(id, '/unknown'));
    socket.write(http2Frames.data(id, '{'));
    socket.write(http2Frames.cancel(id));
  }
  socket.end();
  expect(await ask(session(running), '/any', review({}))).toMatchObject({ response: { allowed: true } });
  socket.destroy();
});

it('a webhook server responds at once to a path that it does not serve, and leaves a large body with its sender', async () => {
  const { port } = await serve({ '/any': admissionWebhook(() => allowed()) });
  const peer = await connectRaw({ port, alpn: ['http/1.1'] });
  const MEGABYTES = 64;
  const chunk = Buffer.alloc(1024 * 1024);
  let sent = 0;
  const length = MEGABYTES * chunk.length;
  peer.socket.write(`POST /unknown HTTP/1.1\r\nhost: webhook\r\ncontent-length: ${length}\r\n\r\n`);
  const isSent = (): Promise<boolean> =>
    new Promise((resolve) => peer.socket.write(chunk, (error) => resolve(!error)));
  while (sent < length && (await isSent())) sent += chunk.length;
  await peer.closed;
  expect(peer.received().toString()).toMatch(/^HTTP\/1\.1 404 /);
  // What the kernel buffers, and no more.
  expect(sent).toBeLessThan(length / 2);
});
