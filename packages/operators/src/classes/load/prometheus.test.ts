import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@kubewright/client';
import { afterEach, expect, test } from 'vitest';
import { fastClock } from '../../../../runtime/src/testing/fast-clock.ts';
import { detailOf, enforcedClass, look, play } from '../testing/enforcement-bench.ts';
import { prometheus } from './prometheus.ts';
import { readLoad } from './read-load.ts';

const { signal } = new AbortController();
let server: Server | undefined;

afterEach(() => server?.close());

/** A Prometheus in which each series of pod `a` has this value. */
async function prometheusSaying(value: unknown) {
  const result = [{ metric: { pod: 'a' }, value: [1, value] }];
  const body = JSON.stringify({ status: 'success', data: { resultType: 'vector', result } });
  server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return prometheus({ url: `http://127.0.0.1:${port}`, timeoutMs: 5000, clock: systemClock });
}

test.each([['NaN'], ['+Inf'], ['-Inf'], ['x'], ['-1'], [''], [null]])(
  'CRT-N09 %s is no load: what was recommended stays, nothing is scaled, no Event',
  async (value) => {
    const source = await prometheusSaying(value);
    const target = { namespace: 'default', pods: ['a'], range: '10m' };
    const { signals } = await readLoad(source, target, signal);
    expect(signals).toBeUndefined();
    const before = play(enforcedClass(), 60, () => 3);
    const none = { uid: before.runtime.metadata.uid, functions: new Map() };
    const first = look(before, 120, none);
    const after = look(first, 180, none);
    expect(detailOf(after)).toMatchObject({ recommended: 3, decision: 'SkipStale' });
    expect(after).toMatchObject({ applied: [], events: first.events });
    expect(after.runtime.status?.phase).toBe('available');
  },
);

test('a number is', async () => {
  const source = await prometheusSaying('300');
  const target = { namespace: 'default', pods: ['a'], range: '10m' };
  expect(await readLoad(source, target, signal)).toMatchObject({ signals: { cpu: 300 } });
});

test('a connection that Prometheus closes before it responds is opened again, once', async () => {
  const source = await prometheusSaying('300');
  let connections = 0;
  server?.on('connection', () => connections++);
  server?.prependOnceListener('request', (request) => request.socket.destroy());
  expect(await source.query('up', signal)).toEqual({ series: [{ labels: { pod: 'a' }, value: 300 }] });
  expect(connections).toBe(2);
});

test.each([
  [500, '{"status":"error","error":"too many queries"}', 'Prometheus responded 500: too many queries'],
  [200, '{"status":"error"}', 'Prometheus responded 200'],
  [503, '<html>', 'Prometheus responded 503'],
])('CRT-A07 a response %d is an error, and no load', async (code, body, message) => {
  server = createServer((_request, response) => response.writeHead(code).end(body)).listen(0, '127.0.0.1');
  await expect(loadFrom(server, systemClock)).rejects.toThrow(message);
});

test('CRT-A07 a query that takes too long is an error, and no load', async () => {
  server = createServer(() => undefined).listen(0, '127.0.0.1');
  await expect(loadFrom(server, fastClock(1000))).rejects.toThrow();
  server.closeAllConnections();
});

async function loadFrom(listening: Server, clock: Clock): Promise<unknown> {
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const source = prometheus({ url: `http://127.0.0.1:${port}`, timeoutMs: 5000, clock });
  return readLoad(source, { namespace: 'default', pods: ['a'], range: '10m' }, signal);
}

test.each([
  ['Thanos', { warnings: ['store 10.0.0.7 is away', 'another'] }, 'store 10.0.0.7 is away'],
  ['VictoriaMetrics', { isPartial: true }, 'isPartial'],
])('CRT-A22 %s says that it has not read all, and its answer has that', async (_name, said, warning) => {
  const body = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] }, ...said });
  server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const source = prometheus({ url: `http://127.0.0.1:${port}`, timeoutMs: 5000, clock: systemClock });
  expect(await source.query('up', signal)).toEqual({ series: [], warning });
});

test.each([
  ['no warnings', { warnings: [] }],
  ['a whole answer', { isPartial: false }],
  ['notes', { infos: ['metric might not be a counter'], stats: {}, analysis: {} }],
])('%s are no warning', async (_title, said) => {
  const body = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] }, ...said });
  server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const source = prometheus({ url: `http://127.0.0.1:${port}`, timeoutMs: 5000, clock: systemClock });
  expect(await source.query('up', signal)).toEqual({ series: [] });
});

test('what keeps Prometheus from being reached is said', async () => {
  const source = await prometheusSaying('300');
  server?.close();
  await expect(source.query('up', signal)).rejects.toThrow(
    /Prometheus cannot be reached: connect ECONNREFUSED/,
  );
});
