import { createApiServer } from '@kubewright/apiserver';
import { type Client, createClient, keyOf } from '@kubewright/client';
import { corev1, type JsonObject, type KubeObject, type Transport } from '@kubewright/kube';
import {
  createManager,
  installDefinitions,
  type Manager,
  silentLogger,
  type Webhook,
} from '@kubewright/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ANNOTATIONS, KAUSALITIES } from '../api.ts';
import { userHash } from '../annotations/user-hash.ts';
import { decideAdmission } from '../decide/decide-admission.ts';
import { SITES, type Site } from '../demo/site.ts';
import { driftWebhook } from './drift-webhook.ts';
import { createParents, type Parents } from './parents.ts';

const NAMESPACE = 'default';
const WEB = { namespace: NAMESPACE, name: 'web' };
const CTL = 'ctl';

let server: ReturnType<typeof createApiServer>;
let stop: AbortController;
let ended: Promise<void>;
let admin: Client;
let manager: Manager;
let webhook: Webhook;
let site: Site;
/** What the operator asks the server for, but lists and watches. */
let calls: string[];
let isForbidden: boolean;
/** The parent as a cache that is behind shows it. */
let past: Site | undefined;

/** The operator's way to the server. */
function counted(transport: Transport): Transport {
  return {
    request(request) {
      const { method, path } = request;
      if (/sites\/|namespaces\/default$/.test(path))
        calls.push(`${method} ${path.split('?')[0]?.split('/').at(-1)}`);
      const reader =
        isForbidden && path.includes('/sites')
          ? server.transport({ username: 'nobody', groups: [] })
          : transport;
      return reader.request(request);
    },
    close: () => transport.close(),
  };
}

beforeEach(async () => {
  server = createApiServer();
  stop = new AbortController();
  [calls, isForbidden, past] = [[], false, undefined];
  admin = createClient(server.transport());
  await installDefinitions(admin, [KAUSALITIES.definition, SITES.definition], { fieldManager: 'test' });
  await policy('enforce');
  const created = await admin.create(SITES, {
    apiVersion: 'demo.kubewright.io/v1',
    kind: 'Site',
    metadata: {
      ...WEB,
      annotations: { [ANNOTATIONS.controllers]: userHash(CTL), [ANNOTATIONS.phase]: 'initialized' },
    },
    spec: { color: 'red' },
  });
  const body = { status: { observedGeneration: 1 } };
  site = await admin.patch(SITES, keyOf(created), { type: 'merge', body }, { subresource: 'status' });
  manager = createManager({ client: createClient(counted(server.transport())), log: silentLogger });
  const parents = createParents(manager, () => undefined);
  const behind: Parents = { ...parents, get: async (ref) => past ?? parents.get(ref) };
  webhook = driftWebhook(manager, { parents: behind, report: () => undefined, decide: decideAdmission });
  ended = manager.start(stop.signal);
  await manager.cache.waitForSync();
});
afterEach(async () => {
  stop.abort();
  await ended;
  await server.close();
});

async function policy(mode: 'log' | 'enforce'): Promise<void> {
  const resources = [
    { apiGroups: [''], resources: ['configmaps'] },
    { apiGroups: [SITES.group], resources: ['sites'] },
  ];
  const wanted = {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name: 'all' },
    spec: { resources, mode },
  } as const;
  await admin.apply(KAUSALITIES, wanted, { fieldManager: 'test', force: true });
}

const map = (color: string, metadata: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    ...WEB,
    annotations: { [ANNOTATIONS.updaters]: userHash(CTL) },
    ownerReferences: [
      { apiVersion: site.apiVersion, kind: 'Site', name: 'web', uid: site.metadata.uid, controller: true },
    ],
    ...metadata,
  },
  data: { color },
});

type Response = {
  readonly allowed: boolean;
  readonly patch?: string;
  readonly warnings?: readonly string[];
  readonly status: { readonly code: number; readonly message?: string };
};

async function asked(request: JsonObject): Promise<Response> {
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      operation: 'UPDATE',
      ...WEB,
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      userInfo: { username: CTL },
      ...request,
    },
  };
  const answer = await webhook({
    body: Buffer.from(JSON.stringify(review)),
    headers: { 'content-type': 'application/json' },
    signal: new AbortController().signal,
    log: silentLogger,
    othersFirst: () => Promise.resolve(),
    onPanic: () => undefined,
  });
  return (JSON.parse(answer.body) as { readonly response: Response }).response;
}

const change = (request: JsonObject = {}) =>
  asked({ oldObject: map('red'), object: map('blue'), ...request });

/** The parent's kind is met, and cached from then on. */
async function warm(): Promise<void> {
  await change();
  await expect.poll(() => manager.cache.informersOf(SITES).every(({ synced }) => synced)).toBe(true);
  calls = [];
}

describe('the webhook', () => {
  test('makes no call for what it allows, and one look at parent and namespace before it denies', async () => {
    await warm();
    expect(await change({ userInfo: { username: 'alice' } })).toMatchObject({ allowed: true });
    const labelled = map('red', { labels: { a: 'b' } });
    expect(await change({ object: labelled as JsonObject })).toMatchObject({ allowed: true });
    expect(calls).toEqual([]);
    expect(await change()).toMatchObject({ allowed: false, status: { code: 403 } });
    expect(calls.toSorted()).toEqual(['GET default', 'GET web']);
    await admin.patch(SITES, WEB, { type: 'merge', body: { spec: { color: 'blue' } } });
    const generation = () => manager.cache.informersOf(SITES)[0]?.list()[0]?.metadata.generation;
    await expect.poll(generation).toBe(2);
    calls = [];
    expect(await change()).toMatchObject({ allowed: true });
    expect(calls).toEqual([]);
  });

  test('looks again at a parent whose own write it has just checked, until the server reports it', async () => {
    await warm();
    const resource = { group: SITES.group, version: SITES.version, resource: SITES.resource };
    const kind = { group: SITES.group, version: SITES.version, kind: 'Site' };
    const written = { object: site, oldObject: site, subResource: 'status', resource, kind };
    await admin.patch(SITES, WEB, { type: 'merge', body: { spec: { color: 'blue' } } });
    const generation = () => manager.cache.informersOf(SITES)[0]?.list()[0]?.metadata.generation;
    await expect.poll(generation).toBe(2);
    await asked({ ...written, dryRun: true });
    calls = [];
    expect(await change()).toMatchObject({ allowed: true });
    expect(calls).toEqual([]);
    await asked(written);
    expect(await change()).toMatchObject({ allowed: true });
    expect(calls.toSorted()).toEqual(['GET default', 'GET web']);
  });

  test('DRF-26 lets nothing through because of what a cache that is behind still shows', async () => {
    await warm();
    const metadata = { ...site.metadata, resourceVersion: '1' };
    const { annotations: _known, ...unknown } = metadata;
    const states: Readonly<Record<string, Site>> = {
      reconciling: { ...site, metadata: { ...metadata, generation: 2 } },
      initializing: { ...site, metadata: unknown },
      'another controller': {
        ...site,
        metadata: { ...metadata, annotations: { [ANNOTATIONS.controllers]: userHash('before') } },
      },
      'approved always': {
        ...site,
        metadata: {
          ...metadata,
          annotations: {
            ...site.metadata.annotations,
            [ANNOTATIONS.approvals]: '[{"apiVersion":"*","kind":"*","name":"*","mode":"always"}]',
          },
        },
      },
    };
    for (const [state, shown] of Object.entries(states)) {
      past = shown;
      expect(await change(), state).toMatchObject({ allowed: false, status: { code: 403 } });
    }
  });

  test('DRF-10 DRF-11 leaves alone a status that it cannot read, and other subresources and operations', async () => {
    const status = { subResource: 'status', object: null, oldObject: null };
    for (const request of [
      status,
      // Those that it can read too.
      { subResource: 'status', operation: 'DELETE' },
      { subResource: 'status', operation: 'CREATE' },
      { subResource: 'scale' },
      { operation: 'CONNECT' },
    ])
      expect(await change(request)).toEqual({ uid: 'u', allowed: true, status: { metadata: {}, code: 200 } });
    expect(await change({ object: null })).toMatchObject({ allowed: false, status: { code: 400 } });
  });

  test('DRF-6 knows a user without a name by the uid', async () => {
    const createdBy = async (userInfo: JsonObject): Promise<string> => {
      const object = map('red', { ownerReferences: [] }) as JsonObject;
      const { patch = '' } = await asked({ operation: 'CREATE', object, userInfo });
      return Buffer.from(patch, 'base64').toString();
    };
    expect(await createdBy({ username: '', uid: 'u-1' })).toContain(userHash('u-1'));
    expect(await createdBy({ username: 'user1', uid: 'u-1' })).toContain('2s1pj');
    expect(await createdBy({})).toContain('1r6c4');
  });

  test("DRF-22 DRF-25 takes what has lost its owner, or another of its name, for nobody's", async () => {
    const ownerReferences = [
      { apiVersion: site.apiVersion, kind: 'Site', name: 'web', uid: 'another', controller: true },
    ];
    const orphan = (color: string) => map(color, { ownerReferences }) as JsonObject;
    expect(await change({ oldObject: orphan('red'), object: orphan('blue') })).toMatchObject({
      allowed: true,
    });
    await admin.delete(SITES, WEB);
    expect(await change()).toMatchObject({ allowed: true });
  });

  describe('DRF-83 DRF-84 asks both owners', () => {
    const WEB_2 = { namespace: NAMESPACE, name: 'web-2' };
    const references = (to: { readonly name: string; readonly uid: string }) =>
      map('red', {
        ownerReferences: [{ apiVersion: site.apiVersion, kind: 'Site', controller: true, ...to }],
      }) as JsonObject;
    /** With the phase of one whose controller writes. */
    const other = async (observedGeneration: number) => {
      const { annotations = {} } = site.metadata;
      const metadata = { ...WEB_2, annotations };
      const { apiVersion, kind } = site;
      await admin.create(SITES, { apiVersion, kind, metadata, spec: { color: 'red' } });
      const body = { status: { observedGeneration } };
      const made = await admin.patch(SITES, WEB_2, { type: 'merge', body }, { subresource: 'status' });
      return references({ name: 'web-2', uid: made.metadata.uid });
    };

    test('when an object goes from one to another', async () => {
      const stable = await other(1);
      await admin.patch(SITES, WEB, { type: 'merge', body: { spec: { color: 'blue' } } });
      const denied = await change({ object: stable, oldObject: map('red') as JsonObject });
      expect(denied.status.message).toContain('nobody has changed Site web-2, which owns it');
      const back = await change({ object: map('red') as JsonObject, oldObject: stable });
      expect(back.status.message).toContain('nobody has changed Site web-2, which owns it');
      await admin.patch(SITES, WEB_2, { type: 'merge', body: { spec: { color: 'blue' } } });
      expect(await change({ object: stable, oldObject: map('red') as JsonObject })).toMatchObject({
        allowed: true,
      });
    });

    test('and finds the owner of a reference to a version that is not served', async () => {
      const [{ uid }] = [site.metadata];
      const of = (color: string, apiVersion: string) =>
        map(color, {
          ownerReferences: [{ apiVersion, kind: 'Site', controller: true, name: 'web', uid }],
        }) as JsonObject;
      const unserved = `${SITES.group}/v99`;
      expect(await change({ oldObject: of('red', unserved), object: of('blue', unserved) })).toMatchObject({
        allowed: false,
        status: { code: 403 },
      });
      const relabelled = await change({ oldObject: of('red', site.apiVersion), object: of('red', unserved) });
      expect(relabelled).toMatchObject({ allowed: true });
    });

    test('but never the garbage collector about an owner that nobody can read', async () => {
      isForbidden = true;
      const userInfo = { username: 'system:serviceaccount:kube-system:generic-garbage-collector' };
      const orphan = map('red', { ownerReferences: [] }) as JsonObject;
      expect(await change({ userInfo, object: orphan })).toMatchObject({ allowed: true });
      expect(await change({ object: orphan })).toMatchObject({ allowed: false, status: { code: 500 } });
    });
  });

  test('DRF-85 keeps owner and selected labels where a write of the status would change them', async () => {
    await admin.apply(
      KAUSALITIES,
      {
        apiVersion: 'kausality.io/v1alpha1',
        kind: 'Kausality',
        metadata: { name: 'dev' },
        spec: {
          resources: [{ apiGroups: [''], resources: ['configmaps'] }],
          objectSelector: { matchLabels: { tier: 'dev' } },
          mode: 'log',
        },
      },
      { fieldManager: 'test', force: true },
    );
    await expect.poll(() => manager.cache.list(KAUSALITIES).length).toBe(2);
    const object = map('red', { ownerReferences: [], labels: { tier: 'dev' } }) as JsonObject;
    const { patch = '' } = await change({ subResource: 'status', object });
    const written = JSON.parse(Buffer.from(patch, 'base64').toString()) as readonly JsonObject[];
    expect(written).toContainEqual({ op: 'remove', path: '/metadata/labels/tier' });
    expect(
      written.filter(({ path }) => JSON.stringify(path ?? '').startsWith('"/metadata/ownerReferences')),
    ).toHaveLength(1);
    // Nor does it choose the policy in the write that is checked.
    const dev = map('blue', { labels: { tier: 'dev' } }) as JsonObject;
    expect(await change({ object: dev })).toMatchObject({ allowed: false, status: { code: 403 } });
    const relabelled = await change({ object: map('red', { labels: { tier: 'dev' } }) as JsonObject });
    expect(relabelled.status.message).toContain('(metadata.labels, which policies select)');
  });

  test('DRF-73 cannot judge what it cannot read: where drift is denied, that is an error', async () => {
    isForbidden = true;
    const denied = await change();
    expect(denied).toMatchObject({ allowed: false, status: { code: 500 } });
    expect(denied.status.message).toContain('cannot read Site web, which owns the object');
    await policy('log');
    await expect.poll(() => manager.cache.list(KAUSALITIES)[0]?.spec.mode).toBe('log');
    expect(await change()).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('not checked')],
    });
  });

  test('DRF-76 a write of a scale is the update that it is: drift is denied, and what is allowed is not patched', async () => {
    const scale = { kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, subResource: 'scale' };
    const object = { metadata: WEB, spec: { replicas: 5 } };
    expect(await asked({ ...scale, object })).toEqual({
      uid: 'u',
      allowed: true,
      status: { metadata: {}, code: 200 },
    });
    await admin.create<KubeObject>(corev1.configmaps, map('red'));
    const denied = await asked({ ...scale, object });
    expect(denied.status.message).toContain(`${CTL} updates ConfigMap web (spec)`);
    const allowed = await asked({ ...scale, object, userInfo: { username: 'alice' } });
    expect(allowed).toMatchObject({ allowed: true });
    expect(allowed).not.toHaveProperty('patch');
    isForbidden = true;
    const resource = { group: SITES.group, version: SITES.version, resource: SITES.resource };
    const unread = await asked({ ...scale, object, resource });
    expect(unread).toMatchObject({ allowed: false, status: { code: 500 } });
    expect(unread.status.message).toContain('cannot read sites web');
  });

  test('DRF-66 follows a policy that changes', async () => {
    await policy('log');
    await expect.poll(() => manager.cache.list(KAUSALITIES)[0]?.spec.mode).toBe('log');
    expect(await change()).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('drift detected')],
    });
    await admin.delete(KAUSALITIES, { name: 'all' });
    await expect.poll(() => manager.cache.list(KAUSALITIES)).toEqual([]);
    expect(await change()).toEqual({ uid: 'u', allowed: true, status: { metadata: {}, code: 200 } });
  });

  test('a namespace that is being deleted lets everything through', async () => {
    const name = 'ending';
    await admin.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: {},
    });
    await admin.delete(corev1.namespaces, { name });
    expect(await change({ namespace: name })).toMatchObject({ allowed: true });
  });
});
