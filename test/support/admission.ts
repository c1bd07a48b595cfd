import assert from 'node:assert/strict';
import { isJsonObject, type Json, type JsonObject, type Transport } from '@kubewright/kube';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { type Answer, call } from './api.ts';
import { at } from './at.ts';
import { ALLOW, type Answering, startWebhookServer, type WebhookServer } from './webhook-server.ts';

export type HookKind = 'mutating' | 'validating';

/** A webhook of a test: what differs from one that sees all ConfigMaps of the test's namespace. */
type TestHook = { readonly answering?: Answering; readonly with?: JsonObject };

/** The `AdmissionRequest`s that a webhook received. */
type Asked = readonly JsonObject[];

/** A configuration on the server, and whether the server calls its webhooks now. */
type Registered = { readonly path: string; readonly isCalled: () => Promise<boolean> };

/** A namespace with webhooks, for a contract suite. */
export type AdmissionSuite = {
  readonly namespace: string;
  /** Path of the namespace's ConfigMaps. */
  readonly maps: string;
  readonly transport: () => Transport;
  readonly hooks: () => WebhookServer;
  /** Registers webhooks as one configuration until the test ends, and waits until the server calls them. */
  readonly register: (kind: HookKind, ...webhooks: readonly TestHook[]) => Promise<readonly Asked[]>;
  /** A call of the admin. */
  readonly call: (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: Json,
    type?: string,
  ) => Promise<Answer>;
  /** A new ConfigMap's manifest. */
  readonly map: (fields?: JsonObject) => JsonObject & { readonly metadata: { readonly name: string } };
};

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const KINDS = {
  mutating: 'MutatingWebhookConfiguration',
  validating: 'ValidatingWebhookConfiguration',
} as const;
export const RULE = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

export function configurations(kind: HookKind): string {
  return `${GROUP}/${kind}webhookconfigurations`;
}

/** Registers what the suite needs around its tests. `id` keeps its objects apart from those of other suites. */
export function admissionSuite(server: () => { transport(): Transport }, id: string): AdmissionSuite {
  let transport: Transport;
  let hooks: WebhookServer;
  let count = 0;
  const registered: Registered[] = [];
  const suite: AdmissionSuite = {
    namespace: id,
    maps: `/api/v1/namespaces/${id}/configmaps`,
    transport: () => transport,
    hooks: () => hooks,
    async call(method, path, body, type) {
      const answer = await call(transport, method, path, body, type);
      if (method !== 'GET' && method !== 'DELETE') await caughtUp(transport, method, path, answer);
      return answer;
    },
    map: (fields = {}) => {
      const { metadata, ...rest } = fields;
      const meta = { name: `map-${(count += 1)}`, ...(isJsonObject(metadata) ? metadata : {}) };
      return { apiVersion: 'v1', kind: 'ConfigMap', ...rest, metadata: meta };
    },
    async register(kind, ...webhooks) {
      const name = `${id}-${(count += 1)}`;
      const made = webhooks.map((hook) => madeHook(hooks, id, hook, `w${(count += 1)}.${id}.example.com`));
      const probe = hooks.answer(ALLOW);
      const label = { [probeLabel(id)]: name };
      const probed = {
        ...hookOf(hooks, id, probe.path, `probe.${id}.example.com`),
        objectSelector: { matchLabels: label },
      };
      const object = { metadata: { name }, webhooks: [...made.map(({ webhook }) => webhook), probed] };
      const path = configurations(kind);
      const answer = await suite.call('POST', path, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: KINDS[kind],
        ...object,
      });
      assert(answer.status === 201, JSON.stringify(answer.body));
      const isCalled = async (): Promise<boolean> => {
        probe.asked.length = 0;
        const tried = suite.map({ metadata: { labels: label } });
        const answer = await suite.call('POST', `${suite.maps}?dryRun=All`, tried);
        assert(answer.status === 201, JSON.stringify(answer.body));
        return probe.asked.length > 0;
      };
      registered.push({ path: `${path}/${name}`, isCalled });
      await vi.waitFor(async () => {
        assert(await isCalled(), 'the webhooks are not called yet');
      }, WAIT);
      for (const { asked } of made) asked.length = 0;
      return made.map(({ asked }) => asked);
    },
  };
  beforeAll(async () => {
    transport = server().transport();
    hooks = await startWebhookServer();
    const made = await suite.call('POST', '/api/v1/namespaces', { metadata: { name: id } });
    assert(made.status === 201, JSON.stringify(made.body));
  });
  afterEach(async () => {
    const ending = registered.splice(0);
    for (const { path } of ending) await suite.call('DELETE', path);
    // A server goes on asking for a moment; the next test is not to meet what this one registered.
    for (const { isCalled } of ending) {
      await vi.waitFor(async () => {
        assert(!(await isCalled()), 'the webhooks are still called');
      }, WAIT);
    }
  });
  afterAll(async () => {
    await suite.call('DELETE', `/api/v1/namespaces/${id}`);
    await transport.close();
    await hooks.stop();
  });
  return suite;
}

/**
 * A server begins a write with what its cache has, and asks webhooks anew when that was behind. Asked for a version, it
 * waits until its cache has that.
 */
async function caughtUp(
  transport: Transport,
  method: string,
  path: string,
  { status, body }: Answer,
): Promise<void> {
  const version = at(body, 'metadata', 'resourceVersion');
  const name = at(body, 'metadata', 'name');
  if (status >= 300 || path.includes('?') || typeof version !== 'string' || typeof name !== 'string') return;
  const object = method === 'POST' ? `${path}/${name}` : path;
  await call(transport, 'GET', `${object.replace(/\/(status|scale)$/, '')}?resourceVersion=${version}`);
}

const probeLabel = (id: string): string => `${id}.example.com/probe`;

const WAIT = { timeout: 60_000, interval: 20 };

function madeHook(
  hooks: WebhookServer,
  namespace: string,
  { answering = ALLOW, with: fields = {} }: TestHook,
  name: string,
): { readonly webhook: JsonObject; readonly asked: JsonObject[] } {
  const own = hooks.answer(answering);
  return { webhook: { ...hookOf(hooks, namespace, own.path, name), ...fields }, asked: own.asked };
}

function hookOf(
  { port, caBundle }: WebhookServer,
  namespace: string,
  path: string,
  name: string,
): JsonObject {
  return {
    name,
    clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle },
    rules: [RULE],
    // What configurations are probed with is no part of a test.
    objectSelector: { matchExpressions: [{ key: probeLabel(namespace), operator: 'DoesNotExist' }] },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
}
