import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import { createManualClock } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TEST_CERTIFICATE, TEST_KEY } from '../testing/test-certificate.ts';
import { startServer, type TestHttp2Server } from '../testing/test-servers.ts';
import { createTransport } from './create-transport.ts';
import { collectBody } from './response-body.ts';
import type { TransportOptions } from './transport-options.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean();
});

/** Where a proxy listens, and what it was asked for. */
type Proxy = { readonly port: number; readonly asked: string[] };

async function listening(server: net.Server | http.Server | https.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as net.AddressInfo).port;
}

function join(near: net.Socket, far: net.Socket): void {
  near.pipe(far).pipe(near);
  for (const socket of [near, far]) socket.on('error', () => undefined);
  near.on('close', () => far.destroy());
  far.on('close', () => near.destroy());
}

/** Opens tunnels for CONNECT; with a password, only for those who know it. */
async function connectProxy(isSecure: boolean, password?: string): Promise<Proxy> {
  const asked: string[] = [];
  const server = isSecure
    ? https.createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE })
    : http.createServer();
  const expected = password === undefined ? undefined : `Basic ${Buffer.from(password).toString('base64')}`;
  server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    asked.push(String(request.url));
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const [host, port] = String(request.url).split(':');
    const far = net.connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      join(socket, far);
    });
  });
  return { port: await listening(server), asked };
}

/** SOCKS5 without authentication, or with a user and a password: RFC 1928 and 1929, of which one request is read at once. */
async function socksProxy(credentials?: string): Promise<Proxy> {
  const asked: string[] = [];
  const next = (socket: net.Socket): Promise<Buffer> =>
    new Promise((resolve) => socket.once('data', resolve));
  const serve = async (socket: net.Socket): Promise<void> => {
    const methods = await next(socket);
    const method = credentials === undefined ? 0 : 2;
    if (!methods.subarray(2).includes(method)) {
      socket.end(Buffer.from([5, 0xff]));
      return;
    }
    socket.write(Buffer.from([5, method]));
    if (credentials !== undefined) {
      const sent = await next(socket);
      const user = sent.subarray(2, 2 + (sent[1] ?? 0)).toString();
      const password = sent.subarray(3 + user.length).toString();
      socket.write(Buffer.from([1, `${user}:${password}` === credentials ? 0 : 1]));
    }
    const request = await next(socket);
    const isName = request[3] === 3;
    const host = isName
      ? request.subarray(5, 5 + (request[4] ?? 0)).toString()
      : request.subarray(4, 8).join('.');
    const port = request.readUInt16BE(isName ? 5 + host.length : 8);
    asked.push(`${host}:${port}`);
    const far = net.connect(port, '127.0.0.1', () => {
      socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      join(socket, far);
    });
  };
  return { port: await listening(net.createServer((socket) => void serve(socket))), asked };
}

let server: TestHttp2Server;
let versions: string[] = [];
beforeEach(async () => {
  versions = [];
  server = await startServer((request, response) => {
    versions.push(request.httpVersion);
    response.end('here');
  });
  cleanUp.push(() => server.stop());
});

async function read(options: Partial<TransportOptions>): Promise<string> {
  const transport = createTransport({ url: server.url, ca: TEST_CERTIFICATE, ...options });
  cleanUp.push(() => transport.close());
  const { body } = await transport.request({ method: 'GET', path: '/', headers: {} });
  return Buffer.from(await collectBody(body, 1e6)).toString();
}

describe('a server behind a proxy is reached', () => {
  it.each([
    ['http', false],
    ['https', true],
  ])('with CONNECT over %s, and HTTP/2 inside', async (scheme, isSecure) => {
    const proxy = await connectProxy(isSecure);
    expect(await read({ proxyUrl: `${scheme}://127.0.0.1:${proxy.port}` })).toBe('here');
    expect(proxy.asked).toEqual([`127.0.0.1:${server.port}`]);
    expect(versions).toEqual(['2.0']);
  });

  it('with SOCKS5, where the proxy resolves the name', async () => {
    const proxy = await socksProxy();
    const url = `https://api.test:${server.port}`;
    expect(await read({ url, proxyUrl: `socks5://127.0.0.1:${proxy.port}` })).toBe('here');
    expect(proxy.asked).toEqual([`api.test:${server.port}`]);
  });

  it('with the credentials of the URL', async () => {
    const connect = await connectProxy(false, 'me:p@ss');
    expect(await read({ proxyUrl: `http://me:p%40ss@127.0.0.1:${connect.port}` })).toBe('here');
    const socks = await socksProxy('me:p@ss');
    expect(await read({ proxyUrl: `socks5://me:p%40ss@127.0.0.1:${socks.port}` })).toBe('here');
  });

  it.each(['https', 'http'])('over HTTP/1.1, %s, with each connection through the proxy', async (scheme) => {
    const old =
      scheme === 'https'
        ? https.createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (_request, response) =>
            response.end('old'),
          )
        : http.createServer((_request, response) => response.end('old'));
    const port = await listening(old);
    const proxy = await connectProxy(false);
    const proxyUrl = `http://127.0.0.1:${proxy.port}`;
    expect(await read({ url: `${scheme}://127.0.0.1:${port}`, proxyUrl })).toBe('old');
    expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${port}`]));
  });
});

describe('a proxy that does not serve is an error, and nobody goes round it', () => {
  it.each([
    ['rejects', (port: number) => `http://me:hunter2@127.0.0.1:${port}`, /rejects a tunnel to .*: 407/],
    ['is not one', () => `http://127.0.0.1:${server.port}`, /the proxy 127\.0\.0\.1/],
    ['is none of SOCKS', (port: number) => `socks5://me:hunter2@127.0.0.1:${port}`, /the proxy 127\.0\.0\.1/],
  ])('where it %s', async (_title, proxyUrl, message) => {
    const proxy = await connectProxy(false, 'me:other');
    const error: unknown = await read({ proxyUrl: proxyUrl(proxy.port) }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'ConnectionFailed' });
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('hunter2');
    expect(versions).toEqual([]);
  });

  it('where its certificate is not trusted', async () => {
    const proxy = await connectProxy(true);
    const transport = createTransport({ url: server.url, proxyUrl: `https://127.0.0.1:${proxy.port}` });
    cleanUp.push(() => transport.close());
    const reading = transport.request({ method: 'GET', path: '/', headers: {} });
    await expect(reading).rejects.toThrow(/the proxy .* self-signed certificate/);
    expect(proxy.asked).toEqual([]);
    expect(versions).toEqual([]);
  });

  it.each(['http', 'socks5'])('where it is silent, %s', async (scheme) => {
    const opened: net.Socket[] = [];
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const port = await listening(
      net.createServer((socket) => {
        opened.push(socket);
        socket.once('data', arrive);
      }),
    );
    const clock = createManualClock();
    const reading = read({ proxyUrl: `${scheme}://127.0.0.1:${port}`, clock, connectTimeoutMs: 1000 });
    reading.catch(() => undefined);
    await arrived;
    await clock.advance(1000);
    await expect(reading).rejects.toThrow(/no connection through the proxy .* within 1000 ms/);
    await expect
      .poll(() => opened.every(({ destroyed, readableEnded }) => destroyed || readableEnded))
      .toBe(true);
  });
});
