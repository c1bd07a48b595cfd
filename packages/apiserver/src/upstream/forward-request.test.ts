import { Agent, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forwardRequest } from './forward-request.ts';

// The server closes a connection when it is used a second time: at once, or after the beginning of its response.
const used = new WeakSet<Socket>();
const served: string[] = [];
let reset = (): unknown => undefined;
const server = createServer(({ socket, url = '' }, response) => {
  served.push(url);
  if (used.has(socket)) {
    if (url === '/closed') return void socket.destroy();
    response.write('beginning');
    reset = () => socket.resetAndDestroy();
    return;
  }
  used.add(socket);
  response.end('ok');
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

async function textOf(agent: Agent, method: string, path: string): Promise<string> {
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const request = { method, path, headers: {}, body: new Uint8Array(), address };
  const { body } = await forwardRequest(agent, request);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    chunks.push(chunk);
    reset();
  }
  return Buffer.concat(chunks).toString();
}

test('what only reads is sent again when a kept connection was closed just as it was used; nothing else is', async () => {
  const agent = new Agent({ keepAlive: true });
  try {
    expect(await textOf(agent, 'GET', '/closed')).toBe('ok');
    expect(await textOf(agent, 'GET', '/closed')).toBe('ok');
    expect(await textOf(agent, 'POST', '/closed')).toBe('ok');
    await expect(textOf(agent, 'POST', '/closed')).rejects.toThrow('socket hang up');
  } finally {
    agent.destroy();
  }
});

test('what has begun to be forwarded is not requested again: it just ends', async () => {
  const agent = new Agent({ keepAlive: true });
  try {
    expect(await textOf(agent, 'GET', '/broken')).toBe('ok');
    expect(await textOf(agent, 'GET', '/broken')).toBe('beginning');
    // Whatever was sent once more has come before this.
    expect(await textOf(new Agent(), 'GET', '/last')).toBe('ok');
    expect(served.filter((url) => url === '/broken')).toHaveLength(2);
  } finally {
    agent.destroy();
  }
});
