import type { JsonObject } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from './api-server.ts';
import { type Call, caller } from './testing/call.ts';

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
