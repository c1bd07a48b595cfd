import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type TestServer, USERS } from '../../servers/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ANNOUNCED = 2_000_000;
/** A response to headers, and that its server has ended the exchange, though the body never came. */
type Ended = { readonly status: number; readonly message: string };
/** Announces a body, and sends nothing of it. */
type Send = (server: TestServer, token: string) => Promise<Ended>;

/** What is wrong with the headers of a request is said before its body is read, which then is no longer wanted. */
export function bodiesContract(server: () => TestServer): void {
  describe.each<[string, Send]>([
    ['HTTP/2', overHttp2],
    ['HTTP/1.1', overHttp1],
  ])('over %s', (_, send) => {
    test('a user without the right to create is told so before the body comes, and the exchange ends', async () => {
      const { status, message } = await send(server(), USERS.alice.token);
      expect(status).toBe(403);
      expect(message).toBe(
        'configmaps is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "default"',
      );
    });

    test('invalid credentials are rejected before the body comes, and the exchange ends', async () => {
      expect(await send(server(), 'unknown')).toEqual({ status: 401, message: 'Unauthorized' });
    });
  });
}

async function overHttp2({ url, caCert }: TestServer, token: string): Promise<Ended> {
  const session = connect(url, { ca: caCert });
  const stream = session.request({
    ':method': 'POST',
    ':path': MAPS,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': ANNOUNCED,
  });
  const closed = once(stream, 'close');
  const [headers] = await once(stream, 'response');
  const text = await textOf(stream);
  await closed;
  session.destroy();
  return endedWith(Number(headers[':status']), text);
}

async function overHttp1({ url, caCert }: TestServer, token: string): Promise<Ended> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': ANNOUNCED,
  };
  const request = httpsRequest(`${url}${MAPS}`, { method: 'POST', ca: caCert, agent: false, headers });
  request.on('error', () => {});
  request.flushHeaders();
  const [response] = await once(request, 'response');
  const closed = once(response.socket, 'close');
  const text = await textOf(response);
  await closed;
  return endedWith(response.statusCode ?? 0, text);
}

function endedWith(status: number, text: string): Ended {
  return { status, message: (JSON.parse(text) as Ended).message };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}
