import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, withImpersonation } from '@kubewright/client';
import { admissionregistrationv1, apiextensionsv1, appsv1, rbacv1, type Transport } from '@kubewright/kube';
import { accountUser, behindService, MANAGER, OBJECT_KEEPERS, OPERATORS } from '@kubewright/operators';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningOperators, runOperators } from '../../../packages/kubewright/src/run/run-operators.ts';
import manifest from '../../../packages/kubewright/package.json' with { type: 'json' };
import type { TestServer } from '../../servers/test-server.ts';
import { type Helm, helmCaller, type HelmPrograms } from '../../support/helm.ts';

const CHART = join(import.meta.dirname, '../../../charts/kubewright');
const NAMESPACE = 'kubewright-system';
const NEXT = manifest.version.replace(/\d+$/, (patch) => `${Number(patch) + 1}`);
const KEEPER = 'objectkeepers.deckhouse.io';
const CAPTURE = { name: 'kubewright-capture' };
const PATIENT = { timeout: 120_000, interval: 100 };

/** The chart with both major versions of Helm, and the manager with the rights that it gives. */
export function chartContract(programs: HelmPrograms, server: () => TestServer): void {
  describe.each([
    ['Helm 3', 'helm3'],
    ['Helm 4', 'helm4'],
  ] as const)('the chart with %s', (_title, program) => {
    const folder = mkdtempSync(join(tmpdir(), 'kubewright-chart-'));
    let helm: Helm;
    let transport: Transport;
    let client: Client;
    let manager: Manager | undefined;

    beforeAll(() => {
      transport = server().transport();
      client = createClient(transport);
      helm = helmCaller(programs[program], server().kubeconfigPath, folder);
    });
    afterAll(async () => {
      await manager?.stop();
      await transport.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function run(verb: string, ...args: readonly string[]): Promise<void> {
      const { code, out } = await helm(verb, 'kw', ...args, '-n', NAMESPACE);
      assert.equal(code, 0, out);
    }

    it('installs what the manager needs, and nothing that it may not do is logged', async () => {
      await run('install', CHART, '--create-namespace');
      manager = await startManager(server().transport());
      await vi.waitFor(() => expect(manager?.health().reasons).toEqual([]), PATIENT);
      await vi.waitFor(async () => expect(await callsOf(client)).toEqual(CALLED), PATIENT);
      expect(manager.log()).not.toContain('forbidden');
    });

    it('upgrades while the manager runs: definitions are updated, and webhooks are called as before', async () => {
      const before = await callsOf(client, 'whole');
      const metadata = { name: 'kept' };
      const spec = { mode: 'TTL', ttl: '720h' } as const;
      const keeper = { apiVersion: 'deckhouse.io/v1alpha1', kind: 'ObjectKeeper', metadata, spec } as const;
      await client.create(OBJECT_KEEPERS, keeper);
      await run('upgrade', nextChart(folder));
      expect(await columnsOf(client)).toContain('Next');
      expect(await imageOf(client)).toBe(`kubewright:${NEXT}`);
      expect(await timeoutOf(client)).toBe(9);
      expect(await callsOf(client, 'whole')).toEqual(before);
    });

    it('rolls back to the definitions and the image of before', async () => {
      await run('rollback', '1');
      expect(await columnsOf(client)).not.toContain('Next');
      expect(await imageOf(client)).toBe(`kubewright:${manifest.version}`);
      expect(await timeoutOf(client)).toBe(10);
      expect(await callsOf(client)).toEqual(CALLED);
    });

    it('takes an operator away that is switched off, but for its definitions', async () => {
      await manager?.stop();
      manager = undefined;
      await run('upgrade', CHART, '--set', 'operators.drift.enabled=false');
      const { items } = await client.list(admissionregistrationv1.mutatingwebhookconfigurations);
      expect(items.map(({ metadata }) => metadata.name)).toEqual([
        'kubewright-capture',
        'kubewright-migration',
      ]);
      expect((await rolesOf(client)).filter((name) => name.includes('drift'))).toEqual([]);
      expect(await definitionsOf(client)).toContain('kausalities.kausality.io');
    });

    it('leaves definitions and their objects when it is uninstalled, and takes them over when it is installed again', async () => {
      await run('uninstall');
      expect(await rolesOf(client)).toEqual([]);
      expect(await client.get(OBJECT_KEEPERS, { name: 'kept' })).toMatchObject({ spec: { ttl: '720h' } });
      await run('install', CHART);
      expect(await client.get(OBJECT_KEEPERS, { name: 'kept' })).toMatchObject({ spec: { ttl: '720h' } });
    });

    it('leaves nothing where that is wanted', async () => {
      await client.delete(OBJECT_KEEPERS, { name: 'kept' });
      await run('upgrade', CHART, '--set', 'crds.keep=false');
      await run('uninstall');
      await vi.waitFor(async () => expect(await definitionsOf(client)).toEqual([]), PATIENT);
      expect(await rolesOf(client)).toEqual([]);
      const { items } = await client.list(admissionregistrationv1.mutatingwebhookconfigurations);
      expect(items).toEqual([]);
    });
  });
}

type Manager = RunningOperators & { readonly log: () => string; readonly stop: () => Promise<void> };

/** As the chart's pod runs it: under its account, with definitions that are there. */
async function startManager(admin: Transport): Promise<Manager> {
  const { username, groups } = accountUser(MANAGER, { namespace: NAMESPACE });
  const bare = withImpersonation(admin, { user: username, groups });
  const stopped = new AbortController();
  let log = '';
  const running = await runOperators(
    {
      operators: OPERATORS,
      bare,
      leaseNamespace: NAMESPACE,
      webhooks: { ...behindService(NAMESPACE, 0), host: '127.0.0.1' },
      hasDefinitions: true,
    },
    {
      out: () => undefined,
      err: (text) => void (log += text),
      colour: false,
      env: {},
      cwd: '/',
      signal: stopped.signal,
    },
  );
  const stop = async (): Promise<void> => {
    stopped.abort();
    await running.ended;
    await bare.close();
  };
  return { ...running, log: () => log, stop };
}

/** The chart as a next version may have it: another version, a column more, another timeout. */
function nextChart(folder: string): string {
  const next = join(folder, 'next');
  mkdirSync(next, { recursive: true });
  cpSync(CHART, next, { recursive: true });
  const change = (file: string, from: RegExp, to: string): void => {
    const before = readFileSync(join(next, file), 'utf8');
    assert.match(before, from);
    writeFileSync(join(next, file), before.replaceAll(from, to));
  };
  change('Chart.yaml', /ersion: "\d+\.\d+\.\d+"/g, `ersion: "${NEXT}"`);
  const column =
    'additionalPrinterColumns:\n        - name: Next\n          type: string\n          jsonPath: .kind\n';
  change('templates/crds-capture.yaml', /additionalPrinterColumns:\n/g, column);
  change('templates/capture.yaml', /timeoutSeconds: 10/g, 'timeoutSeconds: 9');
  return next;
}

const CALLED = { 'check-author': true, 'check-schedule-author': true, drift: true };

/** Whether webhooks have a certificate's authority and a segment in their paths; `whole`: the paths. */
async function callsOf(client: Client, what: 'whole' | 'secret' = 'secret'): Promise<unknown> {
  const validating = await client.get(admissionregistrationv1.validatingwebhookconfigurations, CAPTURE);
  const drift = await client.get(admissionregistrationv1.mutatingwebhookconfigurations, {
    name: 'kubewright-drift',
  });
  const webhooks = [...(validating.webhooks ?? []), ...(drift.webhooks ?? [])];
  return Object.fromEntries(
    webhooks.map(({ name, clientConfig: { caBundle = '', service } }) => {
      const path = service?.path ?? '';
      const isCalled = caBundle !== '' && /^\/.+\/kw-[0-9a-f]{32}$/.test(path);
      return [name.split('.')[0], what === 'whole' ? path : isCalled];
    }),
  );
}

async function columnsOf(client: Client): Promise<readonly string[]> {
  const { spec } = await client.get(apiextensionsv1.customresourcedefinitions, { name: KEEPER });
  return (spec.versions[0]?.additionalPrinterColumns ?? []).map(({ name }) => name);
}

async function imageOf(client: Client): Promise<string | undefined> {
  const { spec } = await client.get(appsv1.deployments, { namespace: NAMESPACE, name: MANAGER });
  return spec?.template.spec?.containers[0]?.image;
}

async function timeoutOf(client: Client): Promise<number | undefined> {
  const { webhooks = [] } = await client.get(
    admissionregistrationv1.validatingwebhookconfigurations,
    CAPTURE,
  );
  return webhooks[0]?.timeoutSeconds;
}

async function rolesOf(client: Client): Promise<readonly string[]> {
  const { items } = await client.list(rbacv1.clusterroles);
  return items.flatMap(({ metadata: { name } }) => (name.startsWith('kubewright:') ? [name] : []));
}

async function definitionsOf(client: Client): Promise<readonly string[]> {
  const { items } = await client.list(apiextensionsv1.customresourcedefinitions);
  return items.map(({ metadata: { name } }) => name);
}
