import { type ApiServer, createApiServer } from '@kubewright/apiserver';
import { createClient, isForbidden } from '@kubewright/client';
import { corev1, parseApiVersion, rbacv1 } from '@kubewright/kube';
import { accountUser, behindService, MANAGER } from '@kubewright/operators';
import { OPERATORS } from '@kubewright/operators/list';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Terminal } from '../terminal.ts';
import { installManifests } from './install-manifests.ts';
import { runOperators } from './run-operators.ts';
import { guard, guardParts } from './testing/guard.ts';

const maps = corev1.configmaps;
const secrets = corev1.secrets;

let server: ApiServer;
let stop: AbortController;
let err: string;
let terminal: Terminal;

beforeEach(() => {
  server = createApiServer();
  stop = new AbortController();
  err = '';
  terminal = {
    out: () => undefined,
    err: (text) => void (err += text),
    colour: false,
    env: {},
    cwd: '/',
    signal: stop.signal,
  };
});
afterEach(() => server.close());

const map = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1' as const,
  kind: 'ConfigMap' as const,
  metadata: { name, namespace: 'default' },
  data,
});

/** As a chart has it: whoever applies a path owns it, and it changes. */
function withoutPath(key: string, value: unknown): unknown {
  return key === 'path' ? undefined : value;
}

/** Denied with the reason, and allowed. */
async function expectGuarded(): Promise<void> {
  const client = createClient(server.transport());
  const error: unknown = await client.create(maps, map('bad', { password: 'hush' })).catch((e: unknown) => e);
  expect(isForbidden(error), String(error)).toBe(true);
  expect(String(error)).toContain(
    'admission webhook "guard.example.com" denied the request: a password belongs into a Secret',
  );
  await client.create(maps, map('good', { colour: 'red' }));
}

describe('webhooks of an operator', () => {
  test('on the embedded cluster are called on loopback as soon as the operators run', async () => {
    const connect = (user: { readonly username: string; readonly groups: readonly string[] }) =>
      server.transport(user);
    const { ended } = await runOperators(
      { operators: [guard], bare: server.transport(), connect, logLevel: 'warn' },
      terminal,
    );
    await expectGuarded();
    // Each reads what its own rules name, and no other Secret.
    const client = createClient(connect(accountUser(MANAGER)));
    await client.get(secrets, { namespace: 'kubewright', name: 'kubewright-webhook-certificates' });
    await expect(client.get(secrets, { namespace: 'kubewright', name: 'other' })).rejects.toThrow(
      'forbidden',
    );
    expect(err).toBe('');
    stop.abort();
    await ended;
  });

  test.each([
    ['that name their paths', true],
    ['without paths, which the manager sets', false],
  ])('on another cluster are called at the Service, by a manager under one account: %s', async (_, named) => {
    // What a cluster's network would do. The manager logs its port.
    const portOf = (): number => Number(/"port":(\d+)/.exec(err)?.[1] ?? 0);
    await server.close();
    server = createApiServer({ resolveService: () => ({ host: '127.0.0.1', port: portOf() }) });
    const admin = createClient(server.transport());
    const namespace = 'tools';
    const options = { operators: ['guard'], namespace, image: 'kubewright' };
    const installed = installManifests([guardParts], options);
    for (const one of installed) {
      const object = named ? one : (JSON.parse(JSON.stringify(one, withoutPath)) as typeof one);
      const { apiVersion, kind } = object;
      await admin.apply({ ...parseApiVersion(apiVersion), kind }, object, { fieldManager: 'kubectl' });
    }
    const bare = server.transport(accountUser(MANAGER, { namespace }));
    const { ended } = await runOperators(
      { operators: [guard], bare, leaseNamespace: namespace, webhooks: behindService(namespace, 0) },
      terminal,
    );
    await vi.waitFor(expectGuarded, { timeout: 60_000, interval: 50 });
    stop.abort();
    await ended;
    expect(err).not.toContain('"level":"error"');
  });

  test('where nothing is installed, the manager creates the namespace of their certificates and becomes ready', async () => {
    const webhooks = behindService('tools', 0);
    const { ended, health } = await runOperators(
      { operators: [guard], bare: server.transport(), webhooks },
      terminal,
    );

    await vi.waitFor(() => expect(health()).toMatchObject({ ready: true }), {
      timeout: 60_000,
      interval: 50,
    });
    const client = createClient(server.transport());
    await client.get(secrets, { namespace: 'tools', name: 'kubewright-webhook-certificates' });
    stop.abort();
    await ended;
    expect(err).not.toContain('"level":"error"');
  });

  test('who may not create that namespace is asked for one that exists', async () => {
    const group = 'rbac.authorization.k8s.io';
    const admin = createClient(server.transport());
    const name = 'reader';
    const apiVersion = `${group}/v1`;
    const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }];
    await admin.create(rbacv1.clusterroles, { apiVersion, kind: 'ClusterRole', metadata: { name }, rules });
    const roleRef = { apiGroup: group, kind: 'ClusterRole', name };
    const subjects = [{ kind: 'User', name, apiGroup: group }];
    const metadata = { name };
    await admin.create(rbacv1.clusterrolebindings, {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef,
      subjects,
    });
    const bare = server.transport({ username: name, groups: ['system:authenticated'] });

    const running = runOperators({ operators: [guard], bare, webhooks: behindService('tools', 0) }, terminal);

    await expect(running).rejects.toThrow(
      'there is no namespace tools for the certificates of webhooks: create it',
    );
  });
});

test.each([
  ['REQUEST_TTL', 'soon'],
  ['CAPTURE_CHUNK_BYTES', '900000'],
  ['CAPTURE_SECRETS', 'Show'],
])(
  'CAP-77 CAP-120 a manager of capture does not start with %s=%s: nothing is read or done',
  async (name, value) => {
    const operator = OPERATORS.find((one) => one.name === 'capture') ?? expect.fail('there is no capture');
    const recording = server.recordRequests();
    const running = runOperators(
      { operators: [operator], bare: server.transport(), connect: (user) => server.transport(user) },
      { ...terminal, env: { [name]: value } },
    );
    await expect(running).rejects.toThrow(`${name} "${value}"`);
    const parts = recording.requests.filter(({ path }) => path.includes('capturerequests'));
    expect(parts.filter(({ path }) => !path.includes('customresourcedefinitions'))).toEqual([]);
  },
);
