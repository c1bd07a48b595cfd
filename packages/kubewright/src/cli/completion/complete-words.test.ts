import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, createTransport, findContext } from '@kubewright/client';
import { appsv1, corev1, type KubeObject } from '@kubewright/kube';
import { STATEFUL_MIGRATIONS, OPERATORS } from '@kubewright/operators';
import { installDefinitions } from '@kubewright/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLine } from '../testing/run-line.ts';
import { type RunningCommand, startCommand } from '../testing/start-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubewright-complete-'));
const env = { HOME: folder, KUBECONFIG: join(folder, 'kc') };
let server: RunningCommand;
let client: Client;

beforeAll(async () => {
  server = await startCommand(folder, ['apiserver', '--port', '0', '--kubeconfig-out', 'kc'], {
    HOME: folder,
  });
  const { options } = await findContext({ kubeconfig: join(folder, 'kc') });
  client = createClient(createTransport(options));
  const migration = OPERATORS.find(({ name }) => name === 'migration');
  const { resources } = (await migration?.load()) ?? { resources: [] };
  await installDefinitions(
    client,
    resources.map(({ definition }) => definition),
    { fieldManager: 'test' },
  );
  await client.create<KubeObject>(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop' },
  });
  const metadata = (name: string) => ({ namespace: 'shop', name });
  const pod = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  for (const name of ['web', 'worker'])
    await client.create<KubeObject>(appsv1.deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata(name),
      spec: { selector: { matchLabels: { app: 'a' } }, template: pod },
    });
  await client.create<KubeObject>(STATEFUL_MIGRATIONS, {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: metadata('move'),
    spec: { sourcePod: 'consumer-0', targetNode: 'node-2' },
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the last word may be. */
async function completed(...words: readonly string[]): Promise<readonly string[]> {
  const { code, out, err } = await runLine(['__complete', ...words], folder, env);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out.split('\n').filter((line) => line !== '');
}

test('completion offers namespaces and contexts, wherever their flag is', async () => {
  expect(await completed('drift', 'list', '-n', 'sh')).toEqual(['shop']);
  expect(await completed('owners', 'deployment/web', '--namespace', '')).toEqual(
    expect.arrayContaining(['default', 'shop', 'kube-system']),
  );
  const contexts = /^current-context: (.*)$/m.exec(readFileSync(env.KUBECONFIG, 'utf8'))?.[1] ?? '';
  expect(await completed('doctor', '--context', '')).toEqual([contexts]);
  expect(await completed('doctor', '--kubeconfig', env.KUBECONFIG, '--context', 'none')).toEqual([]);
});

test('completion offers the names of objects, of the type that a verb takes or that is typed', async () => {
  expect(await completed('owners', '-n', 'shop', 'deployment/')).toEqual([
    'deployment/web',
    'deployment/worker',
  ]);
  expect(await completed('owners', '-n', 'shop', 'deploy/wo')).toEqual(['deploy/worker']);
  expect(await completed('owners', '--namespace=shop', 'deployments', 'we')).toEqual(['web']);
  expect(await completed('migrate', 'state', '-n', 'shop', '')).toEqual(['move']);
  expect(await completed('capture', 'namespace', 'sh')).toEqual(['shop']);
});

test('completion offers nothing, and says nothing, where nothing is known', async () => {
  expect(await completed('owners', '-n', 'shop', 'deployment/web', '')).toEqual([]);
  expect(await completed('owners', 'nonsense/')).toEqual([]);
  expect(await completed('owners', '--manager', '')).toEqual([]);
  expect(await completed('nonsense', '')).toEqual([]);
  expect(await completed('owners', '--kubeconfig', '/none', 'deployment/')).toEqual([]);
  const away = join(folder, 'away');
  writeFileSync(away, readFileSync(env.KUBECONFIG, 'utf8').replace(/https:\S+/, 'https://127.0.0.1:1'));
  expect(await completed('owners', '--kubeconfig', away, 'deployment/')).toEqual([]);
});
