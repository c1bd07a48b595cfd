import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from '../api-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const USERS = [
  { token: 'busy', user: { username: 'busy', groups: [] } },
  { token: 'other', user: { username: 'other', groups: [] } },
];
const MOST_OF_A_USER = 600;
const STREAMS = 250;

let server: ApiServer;
let open: () => ClientHttp2Session;
const sessions: ClientHttp2Session[] = [];

beforeEach(async () => {
  server = createApiServer({ users: USERS, authorize: () => ({ allowed: true, reason: '' }) });
  const { url, caCert: ca } = await server.listen();
  open = () => {
    const session = connect(url, { ca });
    sessions.push(session);
    return session;
  };
});
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await server.close();
});

function post(session: ClientHttp2Session, token: string, length: number): ClientHttp2Stream {
  const authorization = `Bearer ${token}`;
  const stream = session.request({
    ':method': 'POST',
    ':path': MAPS,
    authorization,
    'content-type': 'application/json',
    'content-length': length,
  });
  stream.on('error', () => {});
  return stream;
}

test('a body that announces too much is rejected before it comes, and its stream is closed', async () => {
  const stream = post(open(), 'busy', 4 * 1024 * 1024);
  const closed = once(stream.resume(), 'close');
  const [headers] = await once(stream, 'response');
  expect(headers[':status']).toBe(413);
  await closed;
  expect(stream.rstCode).toBe(0);
});

test('a user with too many requests under way is to try later; nobody else, and not after one of them has ended', async () => {
  const waiting: ClientHttp2Stream[] = [];
  for (let session = open(); waiting.length < MOST_OF_A_USER; waiting.push(post(session, 'busy', 100)))
    if (waiting.length % STREAMS === 0) session = open();
  const session = open();
  const body = (name: string): string => JSON.stringify({ metadata: { name } });
  const create = async (token: string, name: string): Promise<Record<string, unknown>> => {
    const stream = post(session, token, body(name).length);
    stream.end(body(name));
    const [headers] = await once(stream, 'response');
    stream.resume();
    return headers as Record<string, unknown>;
  };
  await expect.poll(async () => (await create('busy', 'a'))[':status']).toBe(429);
  expect(await create('busy', 'a')).toMatchObject({ ':status': 429, 'retry-after': '1' });
  expect(await create('other', 'b')).toMatchObject({ ':status': 201 });
  waiting[0]?.close();
  await expect.poll(async () => (await create('busy', 'c'))[':status']).toBe(201);
});
