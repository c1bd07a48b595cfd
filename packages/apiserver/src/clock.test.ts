import { createManualClock, type JsonObject, type ManualClock } from '@kubewright/kube';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ApiServer, createApiServer } from './api-server.ts';
import { type Call, caller, watchEvents } from './testing/call.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MINUTE = 60_000;

/** Lets whoever reads a watch read. */
const readers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let clock: ManualClock;
let server: ApiServer;
let call: Call;

/** A server whose time passes only when the test says so. */
beforeEach(() => {
  clock = createManualClock(Date.UTC(2030, 0, 1));
  server = createApiServer({ clock });
  call = caller(server.transport());
});
afterEach(() => server.close());

const created = async (path: string, object: JsonObject): Promise<JsonObject> =>
  (await call('POST', path, object)).json['metadata'] as JsonObject;

test('what is written bears the time of the clock', async () => {
  await clock.advance(90_000);
  const metadata = await created(MAPS, { metadata: { name: 'a', finalizers: ['example.com/wait'] } });
  expect(metadata).toMatchObject({
    creationTimestamp: '2030-01-01T00:01:30Z',
    managedFields: [{ time: '2030-01-01T00:01:30Z' }],
  });
  await clock.advance(30_000);
  const { json } = await call('DELETE', `${MAPS}/a`);
  expect(json['metadata']).toMatchObject({ deletionTimestamp: '2030-01-01T00:02:00Z' });
});

test('ages in tables are counted on it', async () => {
  await created(MAPS, { metadata: { name: 'a' } });
  await clock.advance(3 * MINUTE);
  const { json } = await call('GET', MAPS, undefined, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  });
  expect((json['rows'] as JsonObject[])[0]?.['cells']).toEqual(['a', 0, '3m']);
});

test('a watch lasts as long as it asked for, with a bookmark every minute', async () => {
  const { resourceVersion } = (await call('GET', MAPS)).json['metadata'] as { resourceVersion: string };
  const from = `watch=1&resourceVersion=${resourceVersion}`;
  const path = `${MAPS}?${from}&timeoutSeconds=150&allowWatchBookmarks=true`;
  const events = watchEvents(server.transport(), path);
  const seen: unknown[] = [];
  const end = (async () => {
    for await (const { type } of events) seen.push(type);
  })();
  await readers();
  await clock.advance(149_000);
  expect(seen).toEqual(['BOOKMARK', 'BOOKMARK']);
  await clock.advance(1000);
  await end;
});

test('a watch that asked for no end has one within the hour, and leaves no timer', async () => {
  const before = clock.pending;
  const end = (async () => {
    for await (const event of watchEvents(server.transport(), `${MAPS}?watch=1`))
      expect(event).toBeUndefined();
  })();
  await readers();
  await clock.advance(29 * MINUTE);
  expect(clock.pending).toBe(before + 1);
  await clock.advance(31 * MINUTE);
  await end;
  expect(clock.pending).toBe(before);
});

test('a token of a service account ends when the clock says so', async () => {
  await created('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const { json } = await call('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', {
    spec: { expirationSeconds: 600 },
  });
  const { token } = json['status'] as { token: string };
  const authenticated = async (): Promise<unknown> => {
    const review = await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    return (review.json['status'] as JsonObject)['authenticated'];
  };
  expect(await authenticated()).toBe(true);
  await clock.advance(9 * MINUTE);
  expect(await authenticated()).toBe(true);
  // A minute is allowed for clocks that differ.
  await clock.advance(2 * MINUTE + 1000);
  expect(await authenticated()).toBeUndefined();
});

test('a watch may ask for more time than one timer of the system can wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const real = createApiServer();
    const events = watchEvents(real.transport(), `${MAPS}?watch=1&timeoutSeconds=2592000`);
    const first = events.next();
    await readers();
    vi.advanceTimersByTime(29 * 24 * 60 * MINUTE);
    await caller(real.transport())('POST', MAPS, { metadata: { name: 'a' } });
    expect((await first).value).toMatchObject({ type: 'ADDED' });
    vi.advanceTimersByTime(24 * 60 * MINUTE);
    expect((await events.next()).done).toBe(true);
    await real.close();
  } finally {
    vi.useRealTimers();
  }
});
