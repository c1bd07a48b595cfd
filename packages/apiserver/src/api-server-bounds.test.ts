import type { Json, JsonObject } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from './api-server.ts';
import { type Call, caller } from './testing/call.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const LISTED = 1000;

let server: ApiServer;
let call: Call;
beforeEach(() => {
  server = createApiServer();
  call = caller(server.transport());
});
afterEach(() => server.close());

const labelled = (labels: JsonObject): JsonObject => ({ metadata: { name: 'a', labels } });
const numbered = (amount: number, key: (index: number) => string): JsonObject =>
  Object.fromEntries(Array.from({ length: amount }, (_, index) => [key(index), 'x']));

describe('of an object with more errors than anybody reads', () => {
  const expectFirst = ({ status, json }: { status: number; json: JsonObject }): void => {
    expect(status).toBe(422);
    const { causes } = json['details'] as { causes: Json[] };
    expect(causes).toHaveLength(LISTED);
    expect(json['message']).toMatch(/, and more than 1000 errors in all]$/);
  };

  test('the first thousand are listed, and that there are more', async () => {
    const labels = numbered(LISTED + 500, (index) => `k$${index}`);
    expectFirst(await call('POST', MAPS, labelled(labels)));
  });

  test('neither are more listed of a custom resource', async () => {
    await serveNumbers();
    const numbers = Array.from({ length: LISTED + 500 }, () => 9);
    const object = { apiVersion: 'example.io/v1', kind: 'Numbers', metadata: { name: 'a' }, numbers };
    expectFirst(await call('POST', '/apis/example.io/v1/namespaces/default/numbers', object));
  });

  test('no error is left out where they are a thousand', async () => {
    const labels = numbered(LISTED, (index) => `k$${index}`);
    const { json } = await call('POST', MAPS, labelled(labels));
    expect((json['details'] as { causes: Json[] }).causes).toHaveLength(LISTED);
    expect(json['message']).not.toContain('errors in all');
  });
});

test('a collection is deleted in slices, between which others have their turn', async () => {
  const names = Array.from({ length: 450 }, (_, index) => `m${index}`);
  for (const name of names) await call('POST', MAPS, { metadata: { name } });
  const order: string[] = [];
  const deleted = call('DELETE', MAPS).then(({ json }) => {
    order.push('deleted');
    return json['items'] as Json[];
  });
  const { json } = await call('GET', MAPS);
  order.push('read');
  expect(json['items']).not.toEqual([]);
  expect(await deleted).toHaveLength(names.length);
  expect(order).toEqual(['read', 'deleted']);
  expect((await call('GET', MAPS)).json['items']).toEqual([]);
});

test('a large body of YAML is read in turns: others need not wait until it is read', async () => {
  const items = Array.from({ length: 30_000 }, (_, index) => `  k${index}: "x"\n`).join('');
  const order: string[] = [];
  const created = call('POST', MAPS, `metadata:\n  name: large\ndata:\n${items}`, {
    'content-type': 'application/yaml',
  }).then(({ status }) => {
    order.push('created');
    return status;
  });
  expect((await call('GET', `${MAPS}/large`)).status).toBe(404);
  order.push('read');
  expect([await created, order]).toEqual([201, ['read', 'created']]);
});

async function serveNumbers(): Promise<void> {
  const numbers = { type: 'array', items: { type: 'integer', maximum: 5 } };
  const openAPIV3Schema = { type: 'object', properties: { numbers } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'numbers.example.io' },
    spec: {
      group: 'example.io',
      scope: 'Namespaced',
      names: { plural: 'numbers', kind: 'Numbers' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect((await call('POST', path, definition)).status).toBe(201);
  const list = () => call('GET', '/apis/example.io/v1/numbers');
  await expect.poll(async () => (await list()).status).toBe(200);
}
