import { describe, expect, it } from 'vitest';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import type { ResourceRef } from '../rest/resource-ref.ts';
import { scriptedTransport } from '../testing/scripted-transport.ts';
import { withDryRun } from './with-dry-run.ts';
import { withFieldOwner } from './with-field-owner.ts';
import { withFieldValidation } from './with-field-validation.ts';
import { withImpersonation } from './with-impersonation.ts';
import { withNamespace } from './with-namespace.ts';
import { withUserAgent } from './with-user-agent.ts';

const ref: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const metadata = { name: 'a', uid: 'u', resourceVersion: '1', namespace: 'ns' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
const key = { namespace: 'ns', name: 'a' };

async function everyCall(decorate: (client: Client) => Client): Promise<string[]> {
  const answer = { json: { ...object, items: [] } };
  const transport = scriptedTransport(Array.from({ length: 9 }, () => answer));
  const client = decorate(createClient(transport));
  await client.get(ref, key);
  await client.list(ref, { namespace: 'ns' });
  await client.create(ref, object);
  await client.update(ref, object, { fieldManager: 'other', dryRun: false, fieldValidation: 'Ignore' });
  await client.patch(ref, key, { type: 'merge', body: {} });
  await client.apply(ref, object, { force: true });
  await client.delete(ref, key);
  await client.deleteAll(ref, { namespace: 'ns' });
  return transport.requests.map(({ method, path, body }) => {
    const [, query] = path.split('?');
    return [method, query ?? '', method === 'DELETE' ? String(body) : ''].join(' ').trim();
  });
}

describe('decorators over every call', () => {
  it('field owner: writes without one get it', async () => {
    expect(await everyCall((client) => withFieldOwner(client, 'me'))).toEqual([
      'GET',
      'GET',
      'POST fieldManager=me',
      'PUT fieldManager=other&fieldValidation=Ignore',
      'PATCH fieldManager=me',
      'PATCH fieldManager=me&force=true',
      'DELETE  undefined',
      'DELETE  undefined',
    ]);
  });

  it('dry run: no write escapes, whatever it says', async () => {
    const dry = '{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}';
    expect(await everyCall(withDryRun)).toEqual([
      'GET',
      'GET',
      'POST dryRun=All',
      'PUT fieldManager=other&fieldValidation=Ignore&dryRun=All',
      'PATCH dryRun=All',
      'PATCH dryRun=All&force=true',
      `DELETE  ${dry}`,
      `DELETE  ${dry}`,
    ]);
  });

  it('field validation: the default of writes', async () => {
    const sent = await everyCall((client) => withFieldValidation(client, 'Strict'));
    expect(sent[2]).toBe('POST fieldValidation=Strict');
    expect(sent[3]).toBe('PUT fieldManager=other&fieldValidation=Ignore');
  });
});

describe('withNamespace', () => {
  it('fills in the namespace, and refuses another before anything is sent', async () => {
    const transport = scriptedTransport([{ json: object }, { json: object }]);
    const client = withNamespace(createClient(transport), 'ns');
    await client.get(ref, { name: 'a' });
    const { namespace: _, ...elsewhere } = metadata;
    await client.create(ref, { ...object, metadata: elsewhere });
    expect(transport.requests.map(({ path, body }) => [path, body])).toEqual([
      ['/api/v1/namespaces/ns/configmaps/a', undefined],
      ['/api/v1/namespaces/ns/configmaps', JSON.stringify(object)],
    ]);
    await expect(client.delete(ref, { namespace: 'other', name: 'a' })).rejects.toThrow(
      'the client is bound to namespace ns, not other',
    );
    expect(() => client.watch(ref, { namespace: 'other' })).toThrow('bound to namespace ns');
    expect(transport.requests).toHaveLength(2);
  });
});

describe('withImpersonation', () => {
  it('sends who is meant with every call', async () => {
    const transport = scriptedTransport([{ json: object }]);
    const client = createClient(withImpersonation(transport, { user: 'jane', groups: ['a', 'b'] }));
    await client.get(ref, key);
    expect(transport.requests[0]?.headers).toEqual({
      accept: 'application/json',
      'impersonate-user': 'jane',
      'impersonate-group': ['a', 'b'],
    });
  });
});

describe('withUserAgent', () => {
  it('names the program with every call, watches too', async () => {
    const transport = scriptedTransport([{ json: object }, { json: object }]);
    const client = createClient(withUserAgent(transport, 'kubelet/v1'));
    await client.get(ref, key);
    await client.watch(ref)[Symbol.asyncIterator]().next();
    const agents = transport.requests.map(({ headers }) => headers?.['user-agent']);
    expect(agents).toEqual(['kubelet/v1', 'kubelet/v1']);
  });
});
