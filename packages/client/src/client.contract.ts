import { randomUUID } from 'node:crypto';
import type { KubeObject, Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from './client/client.ts';
import { createClient } from './client/create-client.ts';
import { withDryRun } from './decorators/with-dry-run.ts';
import { withImpersonation } from './decorators/with-impersonation.ts';
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isUnauthorized,
} from './errors/predicates.ts';
import { kubeconfigTransport } from './kubeconfig/kubeconfig-transport.ts';
import { parseKubeconfig } from './kubeconfig/parse-kubeconfig.ts';
import type { ResourceRef } from './rest/resource-ref.ts';
import { createHttp1Transport } from './transport/create-http1-transport.ts';
import { createHttp2Transport } from './transport/create-http2-transport.ts';
import type { WatchEvent } from './watch/watch-event.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
export type ServerUnderTest = { readonly url: string; readonly caCert: string; readonly token: string };

const configMaps: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const namespaces: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
const deployments = { group: 'apps', kind: 'Deployment' };

type Open = (server: ServerUnderTest) => Transport;
const openings: readonly [string, Open][] = [
  ['HTTP/2', ({ url, caCert, token }) => createHttp2Transport({ url, ca: caCert, token })],
  ['HTTP/1.1', ({ url, caCert, token }) => createHttp1Transport({ url, ca: caCert, token })],
  [
    'a kubeconfig',
    (server) => kubeconfigTransport(parseKubeconfig(JSON.stringify(kubeconfig(server)), '/none')),
  ],
];

function kubeconfig({ url, caCert, token }: ServerUnderTest): object {
  const ca = Buffer.from(caCert).toString('base64');
  return {
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
}

/** What the client promises, on any API server over the network. */
export function clientContract(server: () => ServerUnderTest): void {
  describe.each(openings)('client over %s', (_title, open) => {
    const namespace = `client-${randomUUID().slice(0, 8)}`;
    let transport: Transport;
    let client: Client;
    beforeAll(async () => {
      transport = open(server());
      client = createClient(transport, { fieldOwner: 'contract' });
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    });
    afterAll(async () => {
      await client.deleteAll(configMaps, { namespace });
      await client.delete(namespaces, { name: namespace });
      await transport.close();
    });
    const map = (name: string, data: Record<string, string> = {}): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
      data,
    });
    const at = (name: string) => ({ namespace, name });
    const failure = (promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => 'no failure',
        (error: unknown) => error,
      );

    it('creates, reads, replaces, patches, applies and deletes an object', async () => {
      const created = await client.create(configMaps, map('crud', { a: '1' }));
      expect(created.metadata.managedFields?.[0]?.manager).toBe('contract');
      const updated = await client.update(configMaps, { ...created, data: { a: '2' } });
      expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
      await client.patch(configMaps, at('crud'), { type: 'merge', body: { data: { b: 'merge' } } });
      await client.patch(configMaps, at('crud'), { type: 'strategic', body: { data: { c: 'strategic' } } });
      const op = { op: 'add', path: '/data/d', value: 'json' };
      await client.patch(configMaps, at('crud'), { type: 'json', body: [op] });
      await client.apply(configMaps, map('crud', { e: 'apply' }));
      const read = await client.get(configMaps, at('crud'));
      expect(read['data']).toEqual({ a: '2', b: 'merge', c: 'strategic', d: 'json', e: 'apply' });
      expect(await client.delete(configMaps, at('crud'))).toMatchObject({
        kind: 'Status',
        status: 'Success',
      });
      expect(isNotFound(await failure(client.get(configMaps, at('crud'))))).toBe(true);
    });

    it('finds the resource of a kind by discovery, with or without its version', async () => {
      const found = await client.mapper.resolve(deployments);
      expect(found).toMatchObject({ version: 'v1', resource: 'deployments', namespaced: true });
      expect(await client.mapper.resolve({ ...deployments, version: 'v1' })).toEqual(found);
      const missing = { group: 'apps', version: 'v1', kind: 'Nothing' };
      expect(await failure(client.mapper.resolve(missing))).toMatchObject({ reason: 'NoMatch' });
    });

    it('lists page by page, with kinds on the items', async () => {
      for (const name of ['p1', 'p2', 'p3'])
        await client.create(configMaps, {
          ...map(name),
          metadata: { name, namespace, labels: { page: 'yes' } },
        });
      const first = await client.list(configMaps, { namespace, labelSelector: 'page=yes', limit: 2 });
      const second = await client.list(configMaps, {
        namespace,
        labelSelector: 'page=yes',
        limit: 2,
        continue: first.continue,
      });
      expect([...first.items, ...second.items].map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
        ['ConfigMap', 'p1'],
        ['ConfigMap', 'p2'],
        ['ConfigMap', 'p3'],
      ]);
      expect(second.continue).toBeUndefined();
      expect(second.resourceVersion).toBe(first.resourceVersion);
    });

    it('says by predicate what a refusal means', async () => {
      await client.create(configMaps, map('refused'));
      expect(isAlreadyExists(await failure(client.create(configMaps, map('refused'))))).toBe(true);
      const old = { ...map('refused'), metadata: { name: 'refused', namespace, resourceVersion: '1' } };
      expect(isConflict(await failure(client.update(configMaps, old)))).toBe(true);
      expect(isInvalid(await failure(client.create(configMaps, map('Not_A_Name'))))).toBe(true);
      const preconditions = { uid: 'another' };
      expect(isConflict(await failure(client.delete(configMaps, at('refused'), { preconditions })))).toBe(
        true,
      );
      await client.apply(configMaps, map('refused', { x: '1' }));
      const stolen = client.apply(configMaps, map('refused', { x: '2' }), { fieldManager: 'other' });
      expect(isConflict(await failure(stolen))).toBe(true);
    });

    it('keeps nothing of a dry run', async () => {
      await withDryRun(client).create(configMaps, map('dry'));
      expect(isNotFound(await failure(client.get(configMaps, at('dry'))))).toBe(true);
    });

    it('keeps integers that a number cannot hold', async () => {
      const big = { ...map('big'), immutable: false, data: { n: '9007199254740993' } };
      expect((await client.create(configMaps, big))['data']).toEqual({ n: '9007199254740993' });
    });

    it('watches from a list on, and ends when it is told to', async () => {
      const { resourceVersion } = await client.list(configMaps, { namespace });
      const stop = new AbortController();
      const seen: string[] = [];
      const watching = (async () => {
        const options = { namespace, resourceVersion, signal: stop.signal };
        for await (const event of client.watch(configMaps, options)) {
          seen.push(describeEvent(event));
          if (event.type === 'DELETED') stop.abort();
        }
      })();
      await client.create(configMaps, map('watched'));
      await client.patch(configMaps, at('watched'), { type: 'merge', body: { data: { a: '1' } } });
      await client.delete(configMaps, at('watched'));
      await watching;
      expect(seen).toEqual(['ADDED watched', 'MODIFIED watched', 'DELETED watched']);
    });

    it('is told 410 when it asks for a version that is too old', async () => {
      const watching = async (): Promise<unknown> => {
        for await (const event of client.watch(configMaps, {
          namespace,
          resourceVersion: '1',
          timeoutSeconds: 5,
        })) {
          return event.type === 'ERROR' ? event.status.code : event.type;
        }
        return 'ended';
      };
      const outcome = await watching().catch((error: unknown) => error);
      // A real server keeps the first version for minutes: it may well begin with an event.
      expect(isGone(outcome) || /^(410|ADDED|ended)$/.test(String(outcome))).toBe(true);
    });

    it('is somebody else by impersonation, and nobody with a wrong token', async () => {
      const asJane = createClient(withImpersonation(transport, { user: 'jane', groups: ['dev'] }));
      expect(isForbidden(await failure(asJane.list(configMaps, { namespace })))).toBe(true);
      const wrong = createHttp2Transport({ url: server().url, ca: server().caCert, token: 'wrong' });
      expect(isUnauthorized(await failure(createClient(wrong).list(configMaps, { namespace })))).toBe(true);
      await wrong.close();
    });

    it('makes 200 calls at once', async () => {
      const names = Array.from({ length: 200 }, (_, i) => `many-${i}`);
      await Promise.all(names.map((name) => client.create(configMaps, map(name))));
      const { items } = await client.list(configMaps, { namespace });
      expect(items.filter(({ metadata }) => metadata.name?.startsWith('many-'))).toHaveLength(200);
    });
  });
}

function describeEvent(event: WatchEvent): string {
  return event.type === 'ERROR'
    ? `ERROR ${event.status.code}`
    : `${event.type} ${event.object.metadata.name}`;
}
