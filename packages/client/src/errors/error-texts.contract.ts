import { randomUUID } from 'node:crypto';
import { corev1, customResource, s, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../client/create-client.ts';
import type { Client } from '../client/client.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
type ServerUnderTest = { transport(): Transport };

const schema = s.object({ spec: s.object({ text: s.string() }) });
const names = { version: 'v1', kind: 'Site', plural: 'sites', scope: 'Namespaced', schema } as const;
/** A kind that nobody defines: the group of no run has been there before. */
const sites = customResource({ ...names, group: `g${randomUUID().slice(0, 8)}.example.com` });
const { group } = sites;
const site = {
  apiVersion: `${group}/v1`,
  kind: 'Site',
  metadata: { namespace: 'default', name: 'blog' },
  spec: { text: 'x' },
};
const key = site.metadata;
const byKind = { group, version: 'v1', kind: 'Site' };
const step = 'see "kubectl api-resources" for what it serves';
const unserved = `the server does not serve sites of ${group}/v1: install the CustomResourceDefinition sites.${group}, or ${step}`;
const { metadata: _none, ...bare } = site;

type Row = readonly [string, (client: Client) => Promise<unknown>, string];

const first = (events: AsyncIterable<unknown>): Promise<unknown> => events[Symbol.asyncIterator]().next();
/** What only plain JavaScript can do. */
const wrong = (value: unknown): never => value as never;

const rows: readonly Row[] = [
  ['a list of a kind without definition', (client) => client.list(sites), unserved],
  ['a get', (client) => client.get(sites, key), unserved],
  ['a create', (client) => client.create(sites, site), unserved],
  ['an apply', (client) => client.apply(sites, site, { fieldManager: 'me' }), unserved],
  ['a watch', (client) => first(client.watch(sites)), unserved],
  [
    'a subresource',
    (client) => client.update(sites, site, { subresource: 'status' }),
    `the server does not serve sites/status of ${group}/v1: install the CustomResourceDefinition sites.${group}, with the subresource status`,
  ],
  [
    'a reference by kind',
    (client) => client.list(byKind),
    `the server does not serve kind Site of ${group}/v1: install its CustomResourceDefinition, or ${step}`,
  ],
  [
    'a misspelt built-in resource',
    (client) => client.list({ ...corev1.pods, resource: 'podz' }),
    `the server does not serve podz of v1: ${step}`,
  ],
  [
    'a built-in group in a version that is gone',
    (client) => client.list({ group: 'batch', version: 'v1beta1', kind: 'CronJob' }),
    `the server does not serve kind CronJob of batch/v1beta1: ${step}`,
  ],
  [
    'an object that is not there keeps the server’s own text',
    (client) => client.get(corev1.configmaps, { namespace: 'default', name: 'nobody' }),
    'configmaps "nobody" not found',
  ],
  [
    'a reference that is undefined',
    (client) => client.list(wrong(undefined)),
    'undefined is no reference to a resource: take one of a group (corev1.pods), a customResource, or { group, version, kind }',
  ],
  [
    'a reference that is a name',
    (client) => client.list(wrong('pods')),
    '"pods" is no reference to a resource',
  ],
  [
    'a key that is a name',
    (client) => client.get(corev1.pods, wrong('blog')),
    '"blog" does not name a Pod: give { namespace, name }',
  ],
  [
    'no namespace',
    (client) => client.get(corev1.pods, { name: 'blog' }),
    'Pod blog needs a namespace: set metadata.namespace',
  ],
  [
    'a create without namespace',
    (client) => client.create(sites, wrong({ ...site, metadata: { name: 'blog' } })),
    'Site blog needs a namespace: set metadata.namespace',
  ],
  [
    'an apply without name',
    (client) => client.apply(sites, { ...site, metadata: { namespace: 'default' } }, { fieldManager: 'me' }),
    'a Site needs a name: set metadata.name',
  ],
  [
    'an object without metadata',
    (client) => client.create(sites, wrong(bare)),
    'is no object of Kubernetes: it has no metadata',
  ],
  [
    'no object',
    (client) => client.create(sites, wrong(undefined)),
    'undefined is no object of Kubernetes: it has no metadata',
  ],
  [
    'an object without kind',
    (client) =>
      client.apply(corev1.configmaps, wrong({ apiVersion: 'v1', metadata: key }), {
        fieldManager: 'me',
      }),
    'Kind',
  ],
];

/** What a user reads who made a mistake, on any API server: what is wrong, and what to do next. */
export function errorTextsContract(server: () => ServerUnderTest): void {
  describe('the text of an error', () => {
    let transport: Transport;
    beforeAll(() => {
      transport = server().transport();
    });
    afterAll(() => transport.close());

    it.each(rows)('of %s', async (_title, call, expected) => {
      const error: unknown = await call(createClient(transport)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'ApiError' });
      expect(String(error)).toContain(expected);
    });
  });
}
