import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@kubewright/client';
import { afterEach, expect, test } from 'vitest';
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
    const load = await readLoad(source, target, signal);
    expect(load).toBeUndefined();
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
  expect(await readLoad(source, target, signal)).toMatchObject({ cpu: 300 });
});

test('a connection that Prometheus closes before it responds is opened again, once', async () => {
  const source = await prometheusSaying('300');
  let connections = 0;
  server?.on('connection', () => connections++);
  server?.prependOnceListener('request', (request) => request.socket.destroy());
  expect(await source.query('up', signal)).toEqual([{ labels: { pod: 'a' }, value: 300 }]);
  expect(connections).toBe(2);
});

test('what keeps Prometheus from being reached is said', async () => {
  const source = await prometheusSaying('300');
  server?.close();
  await expect(source.query('up', signal)).rejects.toThrow(
    /Prometheus cannot be reached: connect ECONNREFUSED/,
  );
});
