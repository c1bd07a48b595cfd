import { createManualClock, type JsonObject } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from './api-server.ts';
import { type Call, caller, watchEvents } from './testing/call.ts';

let server: ApiServer;
let call: Call;

beforeEach(() => {
  server = createApiServer();
  call = caller(server.transport());
});
afterEach(() => server.close());

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

describe('listing', () => {
  test('pages show one moment, whatever is written between', async () => {
    for (const name of ['a', 'b', 'c']) await call('POST', MAPS, map(name));
    const first = await call('GET', `${MAPS}?limit=2`);
    const meta = first.json['metadata'] as {
      continue: string;
      resourceVersion: string;
      remainingItemCount: number;
    };
    expect(meta.remainingItemCount).toBe(1);
    await call('DELETE', `${MAPS}/c`);
    await call('POST', MAPS, map('d'));
    const second = await call('GET', `${MAPS}?limit=2&continue=${meta.continue}`);
    expect(names(second.json)).toEqual(['c']);
    expect(second.json['metadata']).toEqual({ resourceVersion: meta.resourceVersion });
  });

  test('a page from before a compaction is gone', async () => {
    for (const name of ['a', 'b', 'c']) await call('POST', MAPS, map(name));
    const first = await call('GET', `${MAPS}?limit=1`);
    const token = (first.json['metadata'] as { continue: string }).continue;
    await call('DELETE', `${MAPS}/c`);
    server.compact();
    const { status, json } = await call('GET', `${MAPS}?limit=1&continue=${token}`);
    expect([status, json['reason']]).toEqual([410, 'Expired']);
  });

  test('selectors choose by labels and by fields', async () => {
    await call('POST', MAPS, { metadata: { name: 'a', labels: { team: 'shop' } } });
    await call('POST', MAPS, { metadata: { name: 'b', labels: { team: 'bank' } } });
    expect(names((await call('GET', `${MAPS}?labelSelector=team%3Dshop`)).json)).toEqual(['a']);
    expect(names((await call('GET', `${MAPS}?fieldSelector=metadata.name%3Db`)).json)).toEqual(['b']);
    const unknown = await call('GET', `${MAPS}?fieldSelector=data.x%3D1`);
    expect(unknown.json['message']).toBe(
      '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  function names(list: JsonObject): string[] {
    return (list['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  }
});

describe('watching, by the clock', () => {
  test('a quiet watch hears where the server is, and ends when its time is over', async () => {
    const clock = createManualClock();
    const quiet = createApiServer({ clock });
    const path = `${MAPS}?watch=1&resourceVersion=1&timeoutSeconds=90&allowWatchBookmarks=true`;
    const events = watchEvents(quiet.transport(), path);
    const first = events.next();
    const namespace = { metadata: { name: 'n' } };
    const { json } = await caller(quiet.transport())('POST', '/api/v1/namespaces', namespace);
    const { resourceVersion } = json['metadata'] as { resourceVersion: string };
    await clock.advance(60_000);
    expect((await first).value).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion } },
    });
    await clock.advance(30_000);
    expect((await events.next()).done).toBe(true);
    expect(clock.pending).toBe(0);
    await quiet.close();
  });

  test('the end of the client ends a watch and its timers', async () => {
    const clock = createManualClock();
    const quiet = createApiServer({ clock });
    const gone = new AbortController();
    const events = watchEvents(
      quiet.transport(),
      `${MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=5`,
      gone.signal,
    );
    const first = events.next();
    await caller(quiet.transport())('GET', MAPS);
    gone.abort();
    expect((await first).done).toBe(true);
    expect(clock.pending).toBe(0);
    await quiet.close();
  });
});

describe('watching', () => {
  test('a watch from a revision tells what came after it', async () => {
    const transport = server.transport();
    const { json } = await call('POST', MAPS, map('a'));
    const from = (json['metadata'] as { resourceVersion: string }).resourceVersion;
    await call('PUT', `${MAPS}/a`, map('a', { x: '1' }));
    const events = watchEvents(transport, `${MAPS}?watch=1&resourceVersion=${from}`);
    expect((await events.next()).value).toMatchObject({ type: 'MODIFIED', object: { data: { x: '1' } } });
    await call('DELETE', `${MAPS}/a`);
    const last = (await events.next()).value as {
      type: string;
      object: { metadata: { resourceVersion: string } };
    };
    expect(last.type).toBe('DELETED');
    expect(Number(last.object.metadata.resourceVersion)).toBeGreaterThan(Number(from) + 1);
    await events.return(undefined);
  });

  test('a watch that asks for the present first is told where it ends', async () => {
    await call('POST', MAPS, map('a'));
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = watchEvents(server.transport(), `${MAPS}?${query}`);
    expect((await events.next()).value).toMatchObject({ type: 'ADDED' });
    expect((await events.next()).value).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    await events.return(undefined);
  });

  test('to a selector an object comes and goes with its labels', async () => {
    await call('POST', MAPS, map('a'));
    const { json } = await call('GET', MAPS);
    const from = (json['metadata'] as { resourceVersion: string }).resourceVersion;
    const events = watchEvents(
      server.transport(),
      `${MAPS}?watch=1&labelSelector=on&resourceVersion=${from}`,
    );
    const patch = (labels: JsonObject) =>
      call(
        'PATCH',
        `${MAPS}/a`,
        { metadata: { labels } },
        { 'content-type': 'application/merge-patch+json' },
      );
    await patch({ on: '1' });
    await patch({ on: null });
    expect((await events.next()).value).toMatchObject({ type: 'ADDED' });
    expect((await events.next()).value).toMatchObject({
      type: 'DELETED',
      object: { metadata: { labels: { on: '1' } } },
    });
    await events.return(undefined);
  });

  test('a watch from before a compaction is told 410 as an event', async () => {
    await call('POST', MAPS, map('a'));
    await call('DELETE', `${MAPS}/a`);
    server.compact();
    const events = watchEvents(server.transport(), `${MAPS}?watch=1&resourceVersion=1`);
    expect((await events.next()).value).toMatchObject({
      type: 'ERROR',
      object: { code: 410, reason: 'Expired' },
    });
    expect((await events.next()).done).toBe(true);
  });
});
