import assert from 'node:assert/strict';
import { createApiServer, type UserInfo } from '@kubewright/apiserver';
import { type Client, createClient, type ResourceRef } from '@kubewright/client';
import {
  apiextensionsv1,
  type ApiResponse,
  corev1,
  type KubeObject,
  ownerReferenceTo,
  parseJson,
  stringifyJson,
  type Transport,
} from '@kubewright/kube';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startControllers } from './start-controllers.ts';

const PATIENCE = { timeout: 20_000 };
const WIDGETS: ResourceRef = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
};
const object = (kind: string, metadata: KubeObject['metadata'], apiVersion = 'v1'): KubeObject => ({
  apiVersion,
  kind,
  metadata,
});

let stop: AbortController;
let server: ReturnType<typeof createApiServer>;
let client: Client;
let ended: Promise<void>;
let users: readonly string[];

const gone = (ref: ResourceRef, name: string): Promise<void> => {
  const key = ref.namespaced ? { namespace: 'default', name } : { name };
  return vi.waitFor(() => expect(client.get(ref, key)).rejects.toThrow('not found'), PATIENCE);
};

async function start(connect: (user: UserInfo) => Transport): Promise<void> {
  const running = startControllers({
    connect,
    signal: stop.signal,
    controllers: ['garbage-collector-controller', 'namespace-controller'],
  });
  ({ ended } = running);
  await running.ready;
}

beforeEach(() => {
  stop = new AbortController();
  server = createApiServer();
  client = createClient(server.transport());
  users = [];
});
afterEach(async () => {
  stop.abort();
  await ended;
  await server.close();
});

const asThemselves = (user: UserInfo): Transport => {
  users = [...users, user.username];
  return server.transport(user);
};

test('they read together, and each writes as its service account, by the roles that every cluster has for them', async () => {
  await start(asThemselves);
  const owner = await client.create<KubeObject>(
    corev1.configmaps,
    object('ConfigMap', { name: 'a', namespace: 'default' }),
  );
  const ownerReferences = [ownerReferenceTo(owner)];
  const metadata = { name: 'b', namespace: 'default', ownerReferences };
  await client.create<KubeObject>(corev1.secrets, object('Secret', metadata));
  await client.delete(corev1.configmaps, { namespace: 'default', name: 'a' });
  await gone(corev1.secrets, 'b');
  await client.create<KubeObject>(corev1.namespaces, object('Namespace', { name: 'short' }));
  await client.delete(corev1.namespaces, { name: 'short' });
  await gone(corev1.namespaces, 'short');
  expect(users).toEqual([
    'system:kube-controller-manager',
    'system:serviceaccount:kube-system:generic-garbage-collector',
    'system:serviceaccount:kube-system:namespace-controller',
  ]);
});

test('a kind that is defined while they run is collected too', async () => {
  await start(asThemselves);
  const schema = { openAPIV3Schema: { type: 'object' } };
  await client.create<KubeObject>(apiextensionsv1.customresourcedefinitions, {
    ...object('CustomResourceDefinition', { name: 'widgets.example.com' }, 'apiextensions.k8s.io/v1'),
    spec: {
      group: WIDGETS.group,
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  const widget = object('Widget', { name: 'a', namespace: 'default' }, 'example.com/v1');
  const owner = await vi.waitFor(() => client.create(WIDGETS, widget), PATIENCE);
  const ownerReferences = [ownerReferenceTo(owner)];
  for (const name of ['b', 'c']) {
    const metadata = { name, namespace: 'default', ownerReferences };
    if (name === 'b') await client.create(WIDGETS, { ...widget, metadata });
    else await client.create<KubeObject>(corev1.configmaps, object('ConfigMap', metadata));
  }
  await client.delete(WIDGETS, { namespace: 'default', name: 'a' }, { propagationPolicy: 'Foreground' });
  await gone(WIDGETS, 'a');
  await gone(WIDGETS, 'b');
  await gone(corev1.configmaps, 'c');
});

/** As a server answers whose extension is away. */
function withStaleGroup(transport: Transport): Transport {
  return {
    ...transport,
    async request(request) {
      const response = await transport.request(request);
      if (request.path !== '/apis') return response;
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      const document = parseJson(Buffer.concat(chunks)) as { readonly items: readonly never[] };
      const versions = [{ version: 'v1', freshness: 'Stale', resources: [] }];
      const items = [...document.items, { metadata: { name: 'away.example.com' }, versions }];
      return { ...response, body: bodyOf(stringifyJson({ ...document, items })) };
    },
  };
}

async function* bodyOf(text: string): ApiResponse['body'] {
  yield Buffer.from(text);
}

test('a namespace is not finalized while discovery fails for some of its contents', async () => {
  await start((user) => withStaleGroup(asThemselves(user)));
  await client.create<KubeObject>(corev1.namespaces, object('Namespace', { name: 'held' }));
  await client.create<KubeObject>(corev1.configmaps, object('ConfigMap', { name: 'a', namespace: 'held' }));
  await client.delete(corev1.namespaces, { name: 'held' });
  const failure = await vi.waitFor(async () => {
    const { status } = await client.get(corev1.namespaces, { name: 'held' });
    const condition = status?.conditions?.find(({ type }) => type === 'NamespaceDeletionDiscoveryFailure');
    assert(condition !== undefined, 'no condition yet');
    return condition;
  }, PATIENCE);
  expect(failure).toMatchObject({
    status: 'True',
    reason: 'DiscoveryFailed',
    message:
      'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: away.example.com/v1: stale GroupVersion discovery: away.example.com/v1',
  });
  expect((await client.list(corev1.configmaps, { namespace: 'held' })).items).toEqual([]);
});
