import { type ApiServer, createApiServer } from '@kubewright/apiserver';
import { createClient, ignoreNotFound } from '@kubewright/client';
import { corev1, customResource, type KubeObject, s } from '@kubewright/kube';
import type { Operator, OperatorParts, PolicyRule } from '@kubewright/operators';
import { denial, type Manager, RuntimeError, validatingWebhook, watchKind } from '@kubewright/runtime';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useTerminal } from '../cli/testing/use-terminal.ts';
import { type RunningOperators, runOperators } from './run-operators.ts';

const terminal = useTerminal();
const maps = corev1.configmaps;
const WITHIN = { timeout: 60_000, interval: 50 };

let server: ApiServer;
beforeEach(() => {
  server = createApiServer();
});
afterEach(() => server.close());

const admin = () => createClient(server.transport());

type Part = { readonly rules?: readonly PolicyRule[]; add(manager: Manager): void };

function operator(name: string, part: Part, more: Partial<OperatorParts> = {}): Operator {
  const parts = { resources: [], parts: [{ account: name, rules: [], ...part }], ...more };
  return { name, summary: name, load: async () => parts };
}

const READS: PolicyRule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] };
const COPIES: PolicyRule = { ...READS, verbs: [...READS.verbs, 'create'] };

/** Makes `b` where there is `a`. */
function copies(name: string, rules: readonly PolicyRule[] = [COPIES]): Operator {
  return operator(name, {
    rules,
    add: (manager) =>
      void manager.addController({
        name: `${name}-copies`,
        sources: [watchKind(maps)],
        reconciler: {
          async reconcile({ namespace = '', name: of }) {
            const data = manager.cache.get(maps, { namespace, name: of })?.data?.['for'];
            if (data !== name) return;
            const copy = {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { name: `${of}-of-${name}`, namespace },
            };
            if ((await ignoreNotFound(manager.client.get(maps, copy.metadata))) === undefined)
              await manager.client.create<KubeObject>(maps, copy);
          },
        },
      }),
  });
}

async function run(...operators: readonly Operator[]): Promise<RunningOperators> {
  const connect = (user: { readonly username: string; readonly groups: readonly string[] }) =>
    server.transport(user);
  return runOperators(
    { operators, bare: server.transport(), connect, logLevel: 'warn' },
    terminal().terminal,
  );
}

async function create(name: string, data: Record<string, string>): Promise<void> {
  const metadata = { name, namespace: 'default' };
  await admin().create<KubeObject>(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
}

/** The operator `good` does its work all the same, and the process is ready and live. */
async function expectGoodWorks({ health }: RunningOperators): Promise<void> {
  await create('a', { for: 'good' });
  await vi.waitFor(() => admin().get(maps, { namespace: 'default', name: 'a-of-good' }), WITHIN);
  expect(health()).toMatchObject({ live: true, ready: true, reasons: [] });
}

async function expectDegraded({ health }: RunningOperators, line: RegExp): Promise<void> {
  await vi.waitFor(() => expect(health().degraded).toEqual([expect.stringMatching(line)]), WITHIN);
}

async function stopped({ ended }: RunningOperators): Promise<void> {
  terminal().interrupt();
  await ended;
}

test('an operator whose kind the server rejects is degraded, and others go on', async () => {
  const kind = {
    group: 'example.com',
    version: 'v1',
    kind: 'Odd',
    plural: 'odds',
    scope: 'Namespaced',
  } as const;
  const odd = customResource({ ...kind, schema: s.object({ spec: s.object({}) }) });
  const definition = { ...odd.definition, metadata: { name: 'even.example.com' } };
  const add = (manager: Manager): void =>
    void manager.addController({
      name: 'odds',
      sources: [watchKind(odd)],
      reconciler: { reconcile: async () => ({}) },
    });
  const rules = [{ apiGroups: ['example.com'], resources: ['odds'], verbs: READS.verbs }];
  const running = await run(
    operator('bad', { rules, add }, { resources: [{ ...odd, definition }] }),
    copies('good'),
  );
  await expectGoodWorks(running);
  const { degraded } = running.health();
  expect(degraded).toEqual([
    expect.stringMatching(
      /^operator bad: its CustomResourceDefinitions were not installed: .*even\.example\.com/,
    ),
    expect.stringMatching(/^operator bad: example\.com\/v1 Odd: failing: /),
  ]);
  await stopped(running);
});

test('an operator whose account lacks a right is degraded, and others go on', async () => {
  const running = await run(copies('bad', [READS]), copies('good'));
  await create('b', { for: 'bad' });
  await expectDegraded(
    running,
    /^operator bad: controller bad-copies: default\/b failed \d+ times in a row: .*is forbidden: User "system:serviceaccount:kubewright:bad"/,
  );
  await expectGoodWorks(running);
  await stopped(running);
});

test('an operator whose controller always throws is degraded, and others go on', async () => {
  const reconcile = (): never => {
    throw new RuntimeError('InvalidResult', 'never well');
  };
  const add = (manager: Manager): void =>
    void manager.addController({ name: 'throws', sources: [watchKind(maps)], reconciler: { reconcile } });
  const running = await run(operator('bad', { rules: [READS], add }), copies('good'));
  await create('b', {});
  await expectDegraded(
    running,
    /^operator bad: controller throws: default\/b failed \d+ times in a row: never well/,
  );
  await expectGoodWorks(running);
  await stopped(running);
});

test('an operator of which something else fails is degraded until it runs again, and others go on', async () => {
  let starts = 0;
  const add = (manager: Manager): void =>
    manager.add({
      start: async () => {
        starts += 1;
        if (starts < 3) throw new RuntimeError('TimedOut', 'no disk');
      },
    });
  const running = await run(operator('bad', { add }), copies('good'));
  await expectDegraded(running, /^operator bad: a part failed: no disk$/);
  await expectGoodWorks(running);
  await vi.waitFor(() => expect([starts, running.health().degraded]).toEqual([3, []]), WITHIN);
  await stopped(running);
});

test('an operator whose webhook always throws keeps no other from working or from answering calls', async () => {
  const webhookOf = (name: string, resource: string): KubeObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { service: { path: `/${name}` } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: [resource], operations: ['CREATE'] }],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      },
    ],
  });
  const validating = (
    name: string,
    resource: string,
    validateCreate: (map: corev1.ConfigMap) => void,
  ): Operator => {
    const add = (manager: Manager): void =>
      manager.webhookServer().register(`/${name}`, validatingWebhook<corev1.ConfigMap>({ validateCreate }));
    return operator(name, { add }, { webhooks: [webhookOf(name, resource)] });
  };
  const bad = validating('bad', 'secrets', () => {
    throw new RuntimeError('InvalidResult', 'never well');
  });
  const guard = validating('guard', 'configmaps', ({ data = {} }) => {
    if ('password' in data) throw denial('a password belongs into a Secret');
  });
  const running = await run(bad, guard, copies('good'));
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } };
  await expect(admin().create<KubeObject>(corev1.secrets, secret)).rejects.toThrow('never well');
  await expect(create('c', { password: 'hush' })).rejects.toThrow('a password belongs into a Secret');
  await expectGoodWorks(running);
  await stopped(running);
});
