import type { JsonObject } from '@kubewright/kube';
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

test('a new server has the namespaces that every cluster has', async () => {
  const { json } = await call('GET', '/api/v1/namespaces');
  const names = (json['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  expect(names).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
});

describe('writing', () => {
  test('what is created can be read, with the metadata of a stored object', async () => {
    const created = await call('POST', MAPS, map('a', { x: '1' }));
    expect(created.status).toBe(201);
    expect(created.json['metadata']).toMatchObject({
      name: 'a',
      namespace: 'default',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(/Z$/),
    });
    expect((await call('GET', `${MAPS}/a`)).json).toEqual(created.json);
  });

  test('a name can be taken once', async () => {
    await call('POST', MAPS, map('a'));
    const { status, json } = await call('POST', MAPS, map('a'));
    expect(status).toBe(409);
    expect(json).toMatchObject({ reason: 'AlreadyExists', message: 'configmaps "a" already exists' });
  });

  test('nothing is created in a namespace that is not there', async () => {
    const { status, json } = await call('POST', '/api/v1/namespaces/nope/configmaps', map('a'));
    expect(status).toBe(404);
    expect(json['message']).toBe('namespaces "nope" not found');
  });

  test('names are generated from a prefix', async () => {
    const { json } = await call('POST', MAPS, { metadata: { generateName: 'g-' } });
    expect((json['metadata'] as JsonObject)['name']).toMatch(/^g-[a-z0-9]{5}$/);
  });

  test('a dry run answers as if and leaves nothing', async () => {
    const { status } = await call('POST', `${MAPS}?dryRun=All`, map('a'));
    expect(status).toBe(201);
    expect((await call('GET', `${MAPS}/a`)).status).toBe(404);
  });

  test('an update from an old revision is a conflict', async () => {
    const { json } = await call('POST', MAPS, map('a'));
    await call('PUT', `${MAPS}/a`, map('a', { x: '1' }));
    const stale = await call('PUT', `${MAPS}/a`, { ...json, data: { x: '2' } });
    expect(stale.status).toBe(409);
    expect(stale.json['message']).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  test('an update that changes nothing is no write', async () => {
    const created = await call('POST', MAPS, map('a', { x: '1' }));
    const updated = await call('PUT', `${MAPS}/a`, created.json);
    expect(updated.json).toEqual(created.json);
  });

  test('a merge patch changes what it names', async () => {
    await call('POST', MAPS, map('a', { x: '1', y: '2' }));
    const patch = { data: { x: null, z: '3' } };
    const { json } = await call('PATCH', `${MAPS}/a`, patch, {
      'content-type': 'application/merge-patch+json',
    });
    expect(json['data']).toEqual({ y: '2', z: '3' });
  });

  test('an unknown field is warned of, or refused when that is asked for', async () => {
    const warned = await call('POST', MAPS, { ...map('a'), dat: {} });
    expect(warned.headers['warning']).toEqual(['299 - "unknown field \\"dat\\""']);
    const refused = await call('POST', `${MAPS}?fieldValidation=Strict`, { ...map('b'), dat: {} });
    expect(refused.json['message']).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
    );
  });
});

test('a thousand warnings do not cost the answer', async () => {
  const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`unknown${index}`, 1]));
  const { status, headers } = await call('POST', MAPS, { ...map('a'), ...fields });
  expect(status).toBe(201);
  expect((headers['warning'] as string[]).join('').length).toBeLessThan(10_000);
});

describe('deleting', () => {
  test('an object goes, and the answer says which', async () => {
    await call('POST', MAPS, map('a'));
    const { json } = await call('DELETE', `${MAPS}/a`);
    expect(json).toMatchObject({ status: 'Success', details: { name: 'a', kind: 'configmaps' } });
    expect((await call('GET', `${MAPS}/a`)).status).toBe(404);
  });

  test('a finalizer holds an object until it is removed', async () => {
    await call('POST', MAPS, { ...map('a'), metadata: { name: 'a', finalizers: ['ex.io/hold'] } });
    const { json } = await call('DELETE', `${MAPS}/a`);
    expect(json['metadata']).toMatchObject({
      deletionGracePeriodSeconds: 0,
      deletionTimestamp: expect.any(String),
    });
    const patch = { metadata: { finalizers: null } };
    const last = await call('PATCH', `${MAPS}/a`, patch, { 'content-type': 'application/merge-patch+json' });
    expect(last.status).toBe(200);
    expect((await call('GET', `${MAPS}/a`)).status).toBe(404);
  });

  test('a namespace waits for its controller, who finalizes it', async () => {
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    const { json } = await call('DELETE', '/api/v1/namespaces/n');
    expect(json).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } });
    const late = await call('POST', '/api/v1/namespaces/n/configmaps', map('a'));
    expect(late.json['message']).toBe(
      'configmaps "a" is forbidden: unable to create new content in namespace n because it is being terminated',
    );
    const { json: now } = await call('GET', '/api/v1/namespaces/n');
    const empty = await call('PUT', '/api/v1/namespaces/n/finalize', { ...now, spec: {} });
    expect(empty.status).toBe(200);
    expect((await call('GET', '/api/v1/namespaces/n')).status).toBe(404);
  });

  test('the first namespaces stay', async () => {
    const { status, json } = await call('DELETE', '/api/v1/namespaces/default');
    expect(status).toBe(403);
    expect(json['message']).toBe('namespaces "default" is forbidden: this namespace may not be deleted');
  });
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
  /** A clock whose timers go off when told. */
  function manualClock() {
    const timers: { ms: number; callback: () => void }[] = [];
    return {
      now: () => new Date('2026-01-01T00:00:00Z'),
      schedule(ms: number, callback: () => void) {
        const timer = { ms, callback };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
      fire(ms: number) {
        for (const timer of timers.filter((entry) => entry.ms === ms)) {
          timers.splice(timers.indexOf(timer), 1);
          timer.callback();
        }
      },
      pending: () => timers.length,
    };
  }

  test('a quiet watch hears where the server is, and ends when its time is over', async () => {
    const clock = manualClock();
    const quiet = createApiServer({ clock });
    const path = `${MAPS}?watch=1&resourceVersion=1&timeoutSeconds=90&allowWatchBookmarks=true`;
    const events = watchEvents(quiet.transport(), path);
    const first = events.next();
    const namespace = { metadata: { name: 'n' } };
    const { json } = await caller(quiet.transport())('POST', '/api/v1/namespaces', namespace);
    const { resourceVersion } = json['metadata'] as { resourceVersion: string };
    clock.fire(60_000);
    expect((await first).value).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion } },
    });
    clock.fire(90_000);
    expect((await events.next()).done).toBe(true);
    expect(clock.pending()).toBe(0);
    await quiet.close();
  });

  test('the end of the client ends a watch and its timers', async () => {
    const clock = manualClock();
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
    expect(clock.pending()).toBe(0);
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

describe('who may do what', () => {
  const refused =
    'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"';

  test('who has no role may see what is served and touch nothing', async () => {
    const jane = caller(server.transport({ username: 'jane', groups: ['system:authenticated'] }));
    const { status, json } = await jane('GET', MAPS);
    expect([status, json['message']]).toEqual([403, refused]);
    expect((await jane('GET', '/apis')).status).toBe(200);
  });

  test('an admin who takes the place of a user has no more than that user', async () => {
    const { status, json } = await call('GET', MAPS, undefined, { 'impersonate-user': 'jane' });
    expect([status, json['message']]).toEqual([403, refused]);
  });

  test('nobody else may take the place of an admin', async () => {
    const jane = caller(server.transport({ username: 'jane', groups: ['system:authenticated'] }));
    const headers = { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' };
    expect((await jane('GET', MAPS, undefined, headers)).status).toBe(403);
  });

  test('groups without a user are refused, not overlooked', async () => {
    expect((await call('GET', MAPS, undefined, { 'impersonate-group': 'dev' })).status).toBe(400);
  });
});

describe('server-side apply', () => {
  const apply = (manager: string, data: JsonObject, query = '') =>
    call('PATCH', `${MAPS}/a?fieldManager=${manager}${query}`, map('a', data), {
      'content-type': 'application/apply-patch+yaml',
    });

  test('an apply creates, and its manager owns what it said', async () => {
    const { status, json } = await apply('one', { x: '1' });
    expect(status).toBe(201);
    expect(json['metadata']).toMatchObject({
      managedFields: [{ manager: 'one', operation: 'Apply', fieldsV1: { 'f:data': { 'f:x': {} } } }],
    });
  });

  test('another manager with another value is told of the conflict, and may force', async () => {
    await apply('one', { x: '1' });
    const { status, json } = await apply('two', { x: '2' });
    expect(status).toBe(409);
    expect(json).toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "one": .data.x',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.x' }],
      },
    });
    expect((await apply('two', { x: '2' }, '&force=true')).json['data']).toEqual({ x: '2' });
  });

  test('what a manager no longer says and nobody else owns is gone', async () => {
    await apply('one', { x: '1', y: '1' });
    const { json } = await apply('one', { x: '1' });
    expect(json['data']).toEqual({ x: '1' });
  });

  test('the same apply again is no write', async () => {
    const first = await apply('one', { x: '1' });
    expect((await apply('one', { x: '1' })).json).toEqual(first.json);
  });

  test('a field that the kind does not have is refused', async () => {
    const body = { ...map('a'), dat: {} };
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const { status, json } = await call('PATCH', `${MAPS}/a?fieldManager=one`, body, headers);
    expect([status, json['message']]).toEqual([
      500,
      'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .dat: field not declared in schema',
    ]);
  });
});

describe('scale', () => {
  const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
  const deployment = {
    metadata: { name: 'd' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'd' } },
      template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };

  test('scaling takes the replicas from whoever owned them, and counts as a change', async () => {
    await call('POST', `${DEPLOYMENTS}?fieldManager=maker`, deployment);
    const { json } = await call('GET', `${DEPLOYMENTS}/d/scale`);
    expect(json).toMatchObject({ kind: 'Scale', spec: { replicas: 1 }, status: { selector: 'app=d' } });
    const query = '?fieldManager=scaler';
    const answer = await call('PUT', `${DEPLOYMENTS}/d/scale${query}`, { ...json, spec: { replicas: 3 } });
    expect(answer.json).toMatchObject({ spec: { replicas: 3 } });
    const { json: now } = await call('GET', `${DEPLOYMENTS}/d`);
    expect(now).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 } });
    const { managedFields } = now['metadata'] as {
      managedFields: { manager: string; subresource?: string }[];
    };
    const owners = managedFields.map(({ manager, subresource = '' }) => `${manager}/${subresource}`);
    expect(owners.toSorted()).toEqual(['maker/', 'scaler/scale']);
  });

  test('there is no negative number of replicas', async () => {
    await call('POST', DEPLOYMENTS, deployment);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const { status } = await call('PATCH', `${DEPLOYMENTS}/d/scale`, { spec: { replicas: -1 } }, headers);
    expect(status).toBe(422);
  });
});
