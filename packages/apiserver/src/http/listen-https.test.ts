import { request as httpsRequest } from 'node:https';
import { type ClientHttp2Session, connect } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from '../api-server.ts';

const TOKEN = 'the-admins-token';
const ADMIN = { username: 'root', groups: ['system:masters'] };
const MAPS = '/api/v1/namespaces/default/configmaps';

let server: ApiServer;
let url: string;
let ca: string;
let session: ClientHttp2Session;

beforeEach(async () => {
  server = createApiServer({ users: [{ token: TOKEN, user: ADMIN }] });
  ({ url, caCert: ca } = await server.listen());
  session = connect(url, { ca });
});
afterEach(async () => {
  session.destroy();
  await server.close();
});

type Sent = { readonly body?: string; readonly headers?: Record<string, string> };
type Received = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: Buffer };

function h2(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': method,
      ':path': path,
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      ...headers,
    });
    const chunks: Buffer[] = [];
    let answer: Record<string, unknown> = {};
    stream.on('response', (fields) => {
      answer = fields;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () =>
      resolve({ status: Number(answer[':status']), headers: answer, body: Buffer.concat(chunks) }),
    );
    stream.on('error', reject);
    stream.end(body);
  });
}

function h1(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const options = { method, ca, headers: { authorization: `Bearer ${TOKEN}`, ...headers } };
    const call = httpsRequest(`${url}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: { ...response.headers, protocol: response.httpVersion },
          body: Buffer.concat(chunks),
        }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

describe.each([
  ['HTTP/2', h2],
  ['HTTP/1.1', h1],
])('over %s', (_, call) => {
  test('objects are created and read', async () => {
    const created = await call('POST', MAPS, { body: '{"metadata":{"name":"a"},"data":{"x":"ü"}}' });
    expect(created.status).toBe(201);
    const read = await call('GET', `${MAPS}/a`);
    expect(JSON.parse(read.body.toString())).toMatchObject({ data: { x: 'ü' } });
    expect(read.headers['content-length']).toBe(String(read.body.length));
    expect(read.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('with an unknown token nobody is let in', async () => {
    const { status, body } = await call('GET', MAPS, { headers: { authorization: 'Bearer nope' } });
    expect(status).toBe(401);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
  });

  test.each([
    ['no token', ''],
    ['another scheme', `Basic ${TOKEN}`],
  ])('with %s one is anonymous', async (__, authorization) => {
    const { status, body } = await call('GET', MAPS, { headers: { authorization } });
    expect(status).toBe(403);
    expect(JSON.parse(body.toString())['message']).toContain('User "system:anonymous" cannot list');
  });

  test('a body over 3 MiB is refused', async () => {
    const { status, body } = await call('POST', MAPS, { body: `"${'x'.repeat(3 * 1024 * 1024)}"` });
    expect(status).toBe(413);
    expect(JSON.parse(body.toString())).toMatchObject({ reason: 'RequestEntityTooLarge' });
  });

  test('a large list is compressed for those who can read it', async () => {
    const body = JSON.stringify({ metadata: { name: 'big' }, data: { x: 'x'.repeat(200_000) } });
    await call('POST', MAPS, { body });
    const plain = await call('GET', MAPS);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const zipped = await call('GET', MAPS, { headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.body)).toEqual(plain.body);
  });

  test('people read indented answers', async () => {
    const { body } = await call('GET', '/version', { headers: { 'user-agent': 'curl/8.0' } });
    expect(body.toString()).toContain('\n  "major": "1",\n');
  });
});

test('the same port speaks HTTP/1.1 to who does not speak HTTP/2', async () => {
  expect((await h1('GET', '/healthz')).headers['protocol']).toBe('1.1');
  expect((await h2('GET', '/healthz')).body.toString()).toBe('ok');
});

test('a watch streams, and ends when the server closes', async () => {
  const stream = session.request({ ':path': `${MAPS}?watch=1`, authorization: `Bearer ${TOKEN}` });
  const lines: string[] = [];
  const first = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      lines.push(...chunk.toString().split('\n').filter(Boolean));
      resolve();
    });
  });
  stream.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    stream.on('close', () => resolve());
  });
  await new Promise<void>((resolve) => {
    stream.on('response', () => resolve());
  });
  await h2('POST', MAPS, { body: '{"metadata":{"name":"a"}}' });
  await first;
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  await server.close();
  await ended;
});

test('a port that is taken is an error, not a crash', async () => {
  const other = createApiServer();
  await expect(other.listen({ port: Number(new URL(url).port) })).rejects.toThrow(/EADDRINUSE/);
  await other.close();
});

test('a kubeconfig leads an admin to the server', async () => {
  const config = server.kubeconfig() as {
    clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
    users: { user: { token: string } }[];
  };
  expect(config.clusters[0]?.cluster.server).toBe(url);
  expect(
    Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString(),
  ).toBe(ca);
  const authorization = `Bearer ${config.users[0]?.user.token}`;
  expect((await h2('GET', MAPS, { headers: { authorization } })).status).toBe(200);
});

test('a server that was closed listens again on its port, with what it held and the certificate it had', async () => {
  await h2('POST', MAPS, { body: '{"metadata":{"name":"kept"}}' });
  session.destroy();
  await server.close();
  const again = await server.listen({ port: Number(new URL(url).port) });
  expect(again).toEqual({ url, caCert: ca });
  session = connect(url, { ca });
  expect((await h2('GET', `${MAPS}/kept`)).status).toBe(200);
});
