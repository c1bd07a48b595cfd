import { Agent, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forwardRequest } from './forward-request.ts';

// The server closes a connection when it is used a second time.
const used = new WeakSet<Socket>();
const server = createServer(({ socket }, response) => {
  if (used.has(socket)) return void socket.destroy();
  used.add(socket);
  response.end('ok');
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

async function statusOf(agent: Agent, method: string): Promise<number> {
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const { status, body } = await forwardRequest(agent, {
    method,
    path: '/',
    headers: {},
    body: new Uint8Array(),
    address,
  });
  for await (const _chunk of body);
  return status;
}

test('what only reads is sent again when a kept connection was closed just as it was used; nothing else is', async () => {
  const agent = new Agent({ keepAlive: true });
  try {
    expect(await statusOf(agent, 'GET')).toBe(200);
    expect(await statusOf(agent, 'GET')).toBe(200);
    expect(await statusOf(agent, 'POST')).toBe(200);
    await expect(statusOf(agent, 'POST')).rejects.toThrow('socket hang up');
  } finally {
    agent.destroy();
  }
});
