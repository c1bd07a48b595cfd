import { type JsonObject, parseJson, stringifyJson } from '@kubewright/kube';
import { afterEach, expect, test } from 'vitest';
import { type ApiServer, type ApiServerOptions, createApiServer, type StoreSnapshot } from './index.ts';
import { type Call, caller, watchEvents } from './testing/call.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const ROLES = '/apis/rbac.authorization.k8s.io/v1';

const running: ApiServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

function start(options: ApiServerOptions = {}): { readonly server: ApiServer; readonly call: Call } {
  const server = createApiServer(options);
  running.push(server);
  return { server, call: caller(server.transport()) };
}

const map = (name: string, text = ''): JsonObject => ({ metadata: { name }, data: { text } });
const widgets: JsonObject = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };

/** As it would be after a file was written and read. */
const throughAFile = (snapshot: StoreSnapshot): StoreSnapshot => parseJson(stringifyJson(snapshot)) as never;

async function everything(call: Call): Promise<unknown> {
  const paths = [
    MAPS,
    '/api/v1/namespaces',
    CRDS,
    WIDGETS,
    `${ROLES}/clusterroles`,
    `${ROLES}/clusterrolebindings`,
  ];
  return Promise.all(paths.map(async (path) => (await call('GET', path)).text));
}

test('a server that begins from a snapshot cannot be told from the one it was taken of', async () => {
  const first = start();
  await first.call('POST', MAPS, map('a'));
  await first.call('POST', CRDS, widgets);
  await first.call('POST', WIDGETS, widget);
  const { server, call } = start({ snapshot: throughAFile(first.server.snapshot()) });
  expect(await everything(call)).toEqual(await everything(first.call));
  expect(server.snapshot()).toEqual(first.server.snapshot());
  const [one, other] = [await first.call('POST', MAPS, map('b')), await call('POST', MAPS, map('b'))];
  expect(other.json['metadata']).toMatchObject({
    resourceVersion: (one.json['metadata'] as JsonObject)['resourceVersion'],
  });
});

test('what custom resources and roles grant is there in the first moment', async () => {
  const first = start();
  await first.call('POST', CRDS, widgets);
  await first.call('POST', `${ROLES}/clusterrolebindings`, {
    metadata: { name: 'ann-views' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
  });
  const { server, call } = start({ snapshot: first.server.snapshot() });
  const [created, read] = [
    call('POST', WIDGETS, widget),
    caller(server.transport({ username: 'ann', groups: [] }))('GET', MAPS),
  ];
  expect([(await created).status, (await read).status]).toEqual([201, 200]);
});

test('what was written after the snapshot is gone, in the store and in all that follows it', async () => {
  const { server, call } = start();
  const before = await call('POST', MAPS, map('a', 'old'));
  const snapshot = server.snapshot();
  await call('PUT', `${MAPS}/a`, map('a', 'new'));
  await call('POST', MAPS, map('b'));
  await call('POST', CRDS, widgets);
  await call('POST', WIDGETS, widget);
  await server.restore(snapshot);
  expect((await call('GET', `${MAPS}/a`)).json).toEqual(before.json);
  expect((await call('GET', `${MAPS}/b`)).status).toBe(404);
  expect((await call('GET', WIDGETS)).status).toBe(404);
  expect(server.snapshot()).toEqual(snapshot);
  // Made anew, it has lost its instances.
  await call('POST', CRDS, widgets);
  expect((await call('GET', WIDGETS)).json['items']).toEqual([]);
});

test('a custom resource that a later snapshot has is served again', async () => {
  const { server, call } = start();
  const empty = server.snapshot();
  await call('POST', CRDS, widgets);
  await call('POST', WIDGETS, widget);
  const full = server.snapshot();
  await server.restore(empty);
  await server.restore(full);
  expect((await call('GET', `${WIDGETS}/w`)).status).toBe(200);
});

test('a restore ends all watches, and nobody resumes from before it', async () => {
  const { server, call } = start();
  const created = await call('POST', MAPS, map('a'));
  const { resourceVersion } = created.json['metadata'] as { resourceVersion: string };
  const watching = watchEvents(server.transport(), `${MAPS}?watch=1&resourceVersion=${resourceVersion}`);
  const end = watching.next();
  await call('POST', '/api/v1/namespaces', { metadata: { name: 'later' } });
  await server.restore(server.snapshot());
  expect((await end).done).toBe(true);
  const late = await call('GET', `${MAPS}?watch=1&resourceVersion=${resourceVersion}`);
  expect(late.json).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  const page = await call('GET', `${MAPS}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
  expect(page.status).toBe(410);
});

test('who saw the lost future is told so when the revision is bumped, and waits when it is not', async () => {
  const { server, call } = start();
  const snapshot = server.snapshot();
  const created = await call('POST', MAPS, map('a'));
  const { resourceVersion } = created.json['metadata'] as { resourceVersion: string };
  const from = `${MAPS}?watch=1&resourceVersion=${resourceVersion}`;

  await server.restore(snapshot);
  const waiting = watchEvents(server.transport(), from);
  const first = waiting.next();
  await call('POST', MAPS, map('same-revision'));
  await call('POST', MAPS, map('next-revision'));
  expect((await first).value).toMatchObject({ object: { metadata: { name: 'next-revision' } } });

  await server.restore(snapshot, { bumpRevision: 1000 });
  const told = await call('GET', from);
  expect(told.json).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  expect(server.snapshot().revision).toBe(snapshot.revision + 1000);
});

test('what is no snapshot changes nothing', async () => {
  const { server, call } = start();
  await call('POST', MAPS, map('a'));
  const before = server.snapshot();
  const broken = {
    revision: 7,
    resources: [
      { group: '', resource: 'configmaps', objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }] },
    ],
  };
  await expect(server.restore(broken)).rejects.toThrow('without name or resourceVersion');
  expect(server.snapshot()).toEqual(before);
});
