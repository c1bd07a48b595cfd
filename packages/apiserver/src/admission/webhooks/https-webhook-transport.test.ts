import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { makeCertificates } from '../../http/serving-certificates.ts';
import { httpsWebhookTransport } from './https-webhook-transport.ts';

const KEPT = 4;

test('a call succeeds although the server closes each kept connection just when it is used again', async () => {
  const { ca, cert, key } = await makeCertificates(new Date(), ['127.0.0.1']);
  const used = new WeakSet<Socket>();
  const waiting: (() => void)[] = [];
  const server = createServer({ cert, key }, ({ socket }, response) => {
    if (used.has(socket)) return void socket.destroy();
    used.add(socket);
    // The first come side by side, so that each has a connection of its own.
    waiting.push(() => response.end('{}'));
    if (waiting.length >= KEPT) for (const respond of waiting) respond();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = httpsWebhookTransport();
  const call = async (): Promise<number> => {
    const url = `https://127.0.0.1:${port}/`;
    const signal = AbortSignal.timeout(30_000);
    return (await transport.call({ url, caBundle: ca, headers: {}, body: Buffer.from('{}'), signal })).status;
  };
  try {
    expect(await Promise.all(Array.from({ length: KEPT }, call))).toEqual(Array(KEPT).fill(200));
    expect(await call()).toBe(200);
  } finally {
    transport.close();
    server.closeAllConnections();
    server.close();
  }
});
