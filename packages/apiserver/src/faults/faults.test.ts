import { createManualClock, type JsonObject, type Transport } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from '../api-server.ts';
import { http2Transport } from '../../../../test/support/http2-transport.ts';
import { type Call, caller, watchEvents } from '../testing/call.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string): JsonObject => ({ metadata: { name } });
const TOKEN = 'a-token';
const ROOT = { username: 'root', groups: ['system:masters'] };

/** The ways in: every fault is the same by each. */
const WAYS: readonly [string, (server: ApiServer) => Promise<Transport>][] = [
  ['in process', async (server) => server.transport(ROOT)],
  [
    'over HTTPS',
    async (server) => {
      const { url, caCert } = await server.listen();
      return http2Transport(url, caCert, TOKEN);
    },
  ],
];

describe.each(WAYS)('%s', (_way, connect) => {
  let server: ApiServer;
  let transport: Transport;
  let call: Call;
  beforeEach(async () => {
    server = createApiServer({ users: [{ token: TOKEN, user: ROOT }] });
    transport = await connect(server);
    call = caller(transport);
  });
  afterEach(async () => {
    await transport.close();
    await server.close();
  });

  test('the nth request that matches is refused, and those around it are not', async () => {
    const fault = { type: 'status', code: 429, retryAfterSeconds: 3 } as const;
    server.faults.add({ verb: 'create', resource: 'configmaps', nth: 2, fault });
    const answers = [
      await call('POST', MAPS, map('a')),
      await call('POST', '/api/v1/namespaces/default/secrets', map('a')),
      await call('POST', MAPS, map('b')),
      await call('POST', MAPS, map('b')),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429, 201]);
    expect(answers[2]?.headers['retry-after']).toBe('3');
    expect(answers[2]?.json).toMatchObject({ kind: 'Status', reason: 'TooManyRequests', code: 429 });
  });

  test('a rule is about one object, a user, as many times as it says, until it is taken away', async () => {
    await call('POST', MAPS, map('a'));
    const fault = { type: 'status', code: 503 } as const;
    const stop = server.faults.add({ name: 'a', user: 'root', times: Infinity, fault });
    expect((await call('GET', `${MAPS}/a`)).status).toBe(503);
    expect((await call('DELETE', `${MAPS}/a`)).status).toBe(503);
    expect((await call('GET', `${MAPS}/b`)).status).toBe(404);
    expect((await caller(server.transport())('GET', `${MAPS}/a`)).status).toBe(200);
    stop();
    expect((await call('GET', `${MAPS}/a`)).status).toBe(200);
  });

  test('a connection is cut before a write, which is not made, or after it, which is', async () => {
    server.faults.add({ verb: 'create', fault: { type: 'cut', when: 'before' } });
    await expect(call('POST', MAPS, map('a'))).rejects.toThrow(/cut|broke off|failed/);
    server.faults.add({ verb: 'create', fault: { type: 'cut', when: 'after' } });
    await expect(call('POST', MAPS, map('b'))).rejects.toThrow(/cut|broke off|failed/);
    const { json } = await call('GET', MAPS);
    expect((json['items'] as JsonObject[]).map(({ metadata }) => metadata)).toMatchObject([{ name: 'b' }]);
  });

  test('a list breaks off in the middle', async () => {
    for (let index = 0; index < 20; index += 1) await call('POST', MAPS, map(`m-${index}`));
    server.faults.add({ verb: 'list', fault: { type: 'cutBody', afterBytes: 500 } });
    const { status, body } = await transport.request({ method: 'GET', path: MAPS, headers: {} });
    expect(status).toBe(200);
    let read = 0;
    const reading = (async () => {
      for await (const chunk of body) read += chunk.length;
    })();
    await expect(reading).rejects.toThrow();
    expect(read).toBe(500);
    expect((await call('GET', MAPS)).json['items']).toHaveLength(20);
  });

  test('a watch breaks off in the middle of an event', async () => {
    server.faults.add({ verb: 'watch', fault: { type: 'cutBody', afterBytes: 40 } });
    const events = watchEvents(transport, `${MAPS}?watch=1`);
    const first = events.next();
    const refused = expect(first).rejects.toThrow();
    await call('POST', MAPS, map('a'));
    await refused;
  });

  test('a watch is told that its revision is gone', async () => {
    server.faults.add({ verb: 'watch', fault: { type: 'status', code: 410 } });
    const { status, json } = await call('GET', `${MAPS}?watch=1&resourceVersion=1`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });
});

test('a late request is carried out when the server’s clock says so', async () => {
  const clock = createManualClock();
  const server = createApiServer({ clock });
  const call = caller(server.transport());
  server.faults.add({ verb: 'create', fault: { type: 'delay', ms: 5000 } });
  const late = call('POST', MAPS, map('a'));
  expect((await call('GET', `${MAPS}/a`)).status).toBe(404);
  await clock.advance(5000);
  expect((await late).status).toBe(201);
  await server.close();
});

describe('a recording', () => {
  let server: ApiServer;
  let call: Call;
  beforeEach(() => {
    server = createApiServer();
    call = caller(server.transport());
  });
  afterEach(() => server.close());

  test('tells who asked for what, and what was answered', async () => {
    await call('POST', MAPS, map('before'));
    const recording = server.recordRequests();
    await call('POST', MAPS, map('a'));
    await call('GET', `${MAPS}/b`, undefined, { 'impersonate-user': 'ann' });
    server.faults.add({ verb: 'delete', fault: { type: 'cut', when: 'after' } });
    await call('DELETE', `${MAPS}/a`).catch(() => undefined);
    recording.stop();
    await call('GET', MAPS);
    expect(recording.requests).toMatchObject([
      {
        verb: 'create',
        resource: 'configmaps',
        namespace: 'default',
        status: 201,
        body: '{"metadata":{"name":"a"}}',
      },
      { verb: 'get', name: 'b', status: 403, user: 'kubernetes-admin', impersonated: 'ann' },
      { verb: 'delete', path: `${MAPS}/a`, status: 0 },
    ]);
    recording.clear();
    expect(recording.requests).toEqual([]);
  });

  test('keeps no secret, no token, and no more than the beginning of a body', async () => {
    const recording = server.recordRequests();
    await call('POST', '/api/v1/namespaces/default/secrets', { ...map('s'), data: { password: 'c2VjcmV0' } });
    await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'tell-nobody' } });
    await call(
      'POST',
      MAPS,
      { ...map('large'), data: { text: 'x'.repeat(20_000) } },
      { authorization: 'Bearer z' },
    );
    expect(JSON.stringify(recording.requests)).not.toMatch(/c2VjcmV0|tell-nobody|Bearer/);
    expect(recording.requests[2]?.body).toHaveLength(8192);
  });
});
