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
