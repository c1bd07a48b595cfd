import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { RegistryImage } from './registry-image.ts';

// What docker-registry does is in test/contracts/migration/docker-registry: here is what other registries do.

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

/** Resolves with its `HOST:PORT`. */
async function serve(answer: (request: IncomingMessage, host: string) => Answer): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const { status, headers = {}, body } = answer(request, host);
      response.writeHead(status, headers).end(body);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return host;
}

const ARCHIVE = {
  sha256: '0'.repeat(64),
  bytes: 3,
  read: async function* () {
    yield Buffer.from('abc');
  },
};

test('a token is fetched where the registry says so, and sent to the registry', async () => {
  const asked: (string | undefined)[] = [];
  const host = await serve((request, own) => {
    const { url = '', method, headers } = request;
    if (url.startsWith('/token')) {
      asked.push(url);
      return { status: 200, body: JSON.stringify({ token: 'given' }) };
    }
    if (headers.authorization !== 'Bearer given') {
      const challenge = `Bearer realm="http://${own}/token",service="registry",scope="repository:a:pull,push"`;
      return { status: 401, headers: { 'www-authenticate': challenge } };
    }
    if (method === 'HEAD') return { status: 404 };
    if (method === 'POST') return { status: 202, headers: { location: '/v2/a/blobs/uploads/1?state=x' } };
    asked.push(url.replace(/sha256(:|%3A)[0-9a-f]{64}/, 'DIGEST'));
    return { status: 201 };
  });
  expect(await new RegistryImage(`${host}/a:f0-1`).push(ARCHIVE)).toContain(`${host}/a:f0-1@sha256:`);
  expect(asked).toEqual([
    '/token?service=registry&scope=repository%3Aa%3Apull%2Cpush',
    '/v2/a/blobs/uploads/1?state=x&digest=DIGEST',
    '/v2/a/blobs/uploads/1?state=x&digest=DIGEST',
    '/v2/a/manifests/f0-1',
  ]);
});

test('credentials and archives go to no other host in clear text', async () => {
  const host = await serve(({ method }) =>
    method === 'POST'
      ? { status: 202, headers: { location: 'http://elsewhere.example/1' } }
      : { status: 404 },
  );
  const pushed = new RegistryImage(`${host}/a:f0-1`).push(ARCHIVE);
  await expect(pushed).rejects.toThrow('http://elsewhere.example is not https');
});

test.each([
  [403, false],
  [404, false],
  [429, true],
  [503, true],
])('MIG-68 a registry that responds with %i: retryable %s', async (status, retryable) => {
  const host = await serve(({ method }) => ({ status: method === 'HEAD' ? 404 : status, body: 'why' }));
  const pushed = new RegistryImage(`${host}/a:f0-1`).push(ARCHIVE);
  await expect(pushed).rejects.toMatchObject({ retryable, message: `${host}: ${status} why` });
});

test('a registry that says nothing is not waited for without end', async () => {
  const server = createServer(() => undefined);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pushed = new RegistryImage(`${host}/a:f0-1`, { idleMs: 20 }).push(ARCHIVE);
  await expect(pushed).rejects.toMatchObject({ retryable: true, message: `${host}: silent for 20 ms` });
});

test.each(['consumer:1', 'library/consumer:1', 'registry.example/consumer', ''])(
  'an image that names no registry, or no tag: %s',
  (image) => {
    expect(() => new RegistryImage(image)).toThrow('names no registry');
  },
);
