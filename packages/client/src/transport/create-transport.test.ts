import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ApiRequest, Transport } from '@kubewright/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { TEST_CERTIFICATE, TEST_KEY } from '../testing/test-certificate.ts';
import { startServer } from '../testing/test-servers.ts';
import { withRetry } from '../wrappers/with-retry.ts';
import { createTransport } from './create-transport.ts';
import { collectBody } from './response-body.ts';
import type { TransportOptions } from './transport-options.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean();
});

type Http1Server = { readonly url: string; readonly connections: Socket[] };

/** A server that does not know HTTP/2. */
async function serveHttp1(handler: http.RequestListener, secure: boolean = true): Promise<Http1Server> {
  const server = secure
    ? https.createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, handler)
    : http.createServer(handler);
  const connections: Socket[] = [];
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`, connections };
}

function connect(options: TransportOptions): Transport {
  const transport = createTransport({ ca: TEST_CERTIFICATE, ...options });
  cleanUp.push(() => transport.close());
  return transport;
}

const get = (path: string, more: Partial<ApiRequest> = {}): ApiRequest => ({
  method: 'GET',
  path,
  headers: {},
  ...more,
});
async function call(transport: Transport, request: ApiRequest): Promise<string> {
  return Buffer.from(await collectBody((await transport.request(request)).body, 1e6)).toString();
}

describe('createTransport', () => {
  it('speaks HTTP/2 where the server does, on the connection that found it out', async () => {
    const versions: string[] = [];
    const server = await startServer((request, response) => {
      versions.push(request.httpVersion);
      response.end();
    });
    cleanUp.push(() => server.stop());
    const transport = connect({ url: server.url });
    await Promise.all([call(transport, get('/a')), call(transport, get('/b'))]);
    expect(versions).toEqual(['2.0', '2.0']);
    expect(server.sessions).toHaveLength(1);
  });

  it.each([
    ['TLS', true],
    ['plain HTTP, for local proxies', false],
  ])('speaks HTTP/1.1 where the server does not, and keeps the connection (%s)', async (_title, secure) => {
    const seen: (string | undefined)[] = [];
    const server = await serveHttp1((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      request.pipe(response);
    }, secure);
    const transport = connect({ url: `${server.url}/base`, token: 't' });
    await call(transport, get('/a'));
    expect(await call(transport, { method: 'POST', path: '/b?c=d', headers: {}, body: 'äöü' })).toBe('äöü');
    expect(await call(transport, { method: 'DELETE', path: '/c', headers: {}, body: '{}' })).toBe('{}');
    expect(seen).toEqual(['GET /base/a Bearer t', 'POST /base/b?c=d Bearer t', 'DELETE /base/c Bearer t']);
    // One more was made to ask which protocol the server speaks.
    expect(server.connections.length).toBeLessThanOrEqual(2);
  });

  it('streams a watch over HTTP/1.1, and ends it without an error', async () => {
    const server = await serveHttp1((_request, response) => response.write('event\n'));
    const stop = new AbortController();
    const { body } = await connect({ url: server.url }).request(get('/', { signal: stop.signal }));
    const chunks: string[] = [];
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk).toString());
      stop.abort();
    }
    expect(chunks).toEqual(['event\n']);
  });

  it('does not take half a body for a whole one over HTTP/1.1', async () => {
    const server = await serveHttp1((_request, response) => {
      response.write('half', () => response.destroy());
    });
    await expect(call(connect({ url: server.url }), get('/'))).rejects.toMatchObject({
      reason: 'ConnectionFailed',
    });
  });

  it('checks the certificate over HTTP/1.1 too', async () => {
    const server = await serveHttp1((_request, response) => response.end());
    const transport = createTransport({ url: server.url });
    cleanUp.push(() => transport.close());
    await expect(transport.request(get('/'))).rejects.toMatchObject({ reason: 'ConnectionFailed' });
  });

  it.each([
    [
      'HTTP/2',
      async () => {
        const server = await startServer((_request, response) => response.end());
        cleanUp.push(() => server.stop());
        return server;
      },
    ],
    ['HTTP/1.1', () => serveHttp1((_request, response) => response.end())],
  ])('sends nothing once it is closed, and a read is not tried again (%s)', async (_title, serve) => {
    const { url } = await serve();
    for (const isUsed of [true, false]) {
      const waits: number[] = [];
      const onRetry = (_request: ApiRequest, ms: number): void => void waits.push(ms);
      const transport = withRetry(connect({ url }), { onRetry });
      if (isUsed) await call(transport, get('/a'));
      await transport.close();
      const expected = { reason: 'TransportClosed', message: 'the transport is closed', retryable: false };
      await expect(transport.request(get('/b'))).rejects.toMatchObject(expected);
      expect(waits).toEqual([]);
    }
  });

  it('asks again which protocol it is when the first connection failed', async () => {
    const first = await startServer((_request, response) => response.end());
    await first.stop();
    const transport = connect({ url: first.url });
    await expect(transport.request(get('/'))).rejects.toMatchObject({ reason: 'ConnectionFailed' });
    const second = await startServer((_request, response) => response.end('here'), {}, first.port);
    cleanUp.push(() => second.stop());
    expect(await call(transport, get('/'))).toBe('here');
  });
});
