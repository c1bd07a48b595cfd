import {
  type Client,
  createClient,
  ignoreNotFound,
  type ResourceRef,
  withImpersonation,
} from '@kubewright/client';
import {
  admissionregistrationv1,
  apiextensionsv1,
  coordinationv1,
  corev1,
  type KubeObject,
  parseApiVersion,
  rbacv1,
  type Transport,
} from '@kubewright/kube';
import {
  accountUser,
  behindService,
  type Finding,
  MANAGER,
  MANIFEST_CHECKPOINTS,
  OBJECT_KEEPERS,
  OPERATORS,
} from '@kubewright/operators';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Ran, runLine } from '../../packages/kubewright/src/cli/testing/run-line.ts';
import { installManifests } from '../../packages/kubewright/src/run/install-manifests.ts';
import { type RunningOperators, runOperators } from '../../packages/kubewright/src/run/run-operators.ts';
import manifest from '../../packages/kubewright/package.json' with { type: 'json' };
import type { TestServer } from '../servers/test-server.ts';

const NAMESPACE = 'kubewright';
const NAMES = OPERATORS.map(({ name }) => name);
const PATIENT = { timeout: 120_000, interval: 100 };
const COMPOSITIONS: ResourceRef = {
  group: 'eno.azure.io',
  version: 'v1',
  resource: 'compositions',
  kind: 'Composition',
  namespaced: true,
};

/** `kubewright doctor`, `version` and `uninstall` on what `kubewright install` prints. */
export function installationContract(server: () => TestServer): void {
  describe('an installation', () => {
    let transport: Transport;
    let client: Client;
    let manager: Manager | undefined;

    beforeAll(async () => {
      transport = server().transport();
      client = createClient(transport);
    });
    afterAll(async () => {
      await manager?.stop();
      await transport.close();
    });

    const run = (...line: readonly string[]): Promise<Ran> =>
      runLine([...line, '--kubeconfig', server().kubeconfigPath]);

    /** What one run of the doctor finds, by check. */
    async function examined(): Promise<(check: string) => readonly string[]> {
      const { out } = await run('doctor', '-o', 'json');
      const findings = JSON.parse(out) as readonly Finding[];
      return (check) =>
        findings.filter((finding) => finding.check === check).map(({ status, what }) => `${status}: ${what}`);
    }

    it('that is not there is nothing that a doctor knows, with the next step', async () => {
      const { code, out } = await run('doctor');
      expect(code).toBe(0);
      expect(out).toContain('no manager has taken a Lease: it runs without, or not at all');
      expect(out).toContain('what to do: kubewright install -n kubewright | kubectl apply -f -');
      expect((await run('uninstall')).out).toContain('nothing is installed');
    });

    it('that works has definitions, rights, a leader, trusted webhooks and equal clocks', async () => {
      const operators = await Promise.all(OPERATORS.map(async (one) => one.load()));
      const options = { operators: NAMES, namespace: NAMESPACE, image: 'kubewright' };
      for (const object of installManifests(operators, options)) {
        const { apiVersion, kind } = object;
        await client.apply({ ...parseApiVersion(apiVersion), kind }, object, {
          fieldManager: 'kubectl',
          force: true,
        });
      }
      manager = await startManager(server().transport());
      await vi.waitFor(() => expect(manager?.health().reasons).toEqual([]), PATIENT);
      const of = await vi.waitFor(async () => {
        const read = await examined();
        expect(read('webhooks').filter((line) => line.includes('has no caBundle'))).toEqual([]);
        return read;
      }, PATIENT);

      expect(of('api')).toEqual(['ok: the API server responds']);
      expect(of('versions')).toEqual([
        expect.stringMatching(/^ok: Kubernetes v1\./),
        `ok: the manager of Lease kubewright/kubewright is ${manifest.version}, as this program`,
      ]);
      expect(of('leases')).toEqual([
        expect.stringMatching(/^ok: \S+ leads .*ownership.* \(Lease kubewright\/kubewright\)$/),
      ]);
      expect(of('definitions')).toEqual(
        NAMES.map((name) =>
          expect.stringMatching(`^ok: the \\d+ definitions of ${name} are of this version$`),
        ),
      );
      expect(of('rights')).toEqual(
        NAMES.map((name) =>
          expect.stringMatching(`^ok: .*:kubewright has the \\d+ rights that ${name} needs$`),
        ),
      );
      expect(of('sources')).toEqual([
        'ok: migration reaches the broker wherever one of 0 objects needs it',
        'ok: classes reaches Prometheus wherever one of 0 objects needs it',
      ]);
      expect(of('clocks')).toEqual([expect.stringMatching(/^ok: /)]);
      const trusted = of('webhooks').filter((line) => line.includes('is valid until'));
      expect(trusted).toHaveLength(7);
    });

    it('whose replicas do not run is a fault with the next step, and the exit code is 1', async () => {
      const { code, err } = await run('doctor');
      expect(code).toBe(1);
      expect(err).toMatch(/\d+ of \d+ checks failed/);
      const of = await examined();
      expect(of('replicas')).toEqual(['failed: 0 of 2 replicas are ready']);
      const unserved = of('webhooks').filter((line) => line.startsWith('failed: no replica serves'));
      expect(unserved).toHaveLength(7);
    });

    it('has versions of the program, the server and the manager', async () => {
      const { code, out } = await run('version', '-o', 'json');
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        client: { version: manifest.version },
        server: { gitVersion: expect.stringMatching(/^v1\./) },
        managers: [{ version: manifest.version, lease: 'kubewright/kubewright', operators: NAMES }],
      });
      const client = await run('version', '--client', '-o', 'json');
      expect(JSON.parse(client.out)).toEqual({
        client: { version: manifest.version, node: process.versions.node },
      });
    });

    it('lacks a right, has another definition, or an authority of somebody else: each is named', async () => {
      await manager?.stop();
      manager = undefined;
      const role = { name: 'kubewright:migration' };
      const { rules = [] } = await client.get(rbacv1.clusterroles, role);
      await client.patch(rbacv1.clusterroles, role, { type: 'merge', body: { rules: [] } });
      const column = {
        type: 'json',
        body: [{ op: 'remove', path: '/spec/versions/0/additionalPrinterColumns' }],
      } as const;
      await client.patch(
        apiextensionsv1.customresourcedefinitions,
        { name: 'objectkeepers.deckhouse.io' },
        column,
      );
      const webhook = { name: 'kubewright-migration' };
      const before = await client.get(admissionregistrationv1.mutatingwebhookconfigurations, webhook);
      const foreign = Buffer.from(server().caCert).toString('base64');
      const path = '/webhooks/0/clientConfig/caBundle';
      await client.patch(admissionregistrationv1.mutatingwebhookconfigurations, webhook, {
        type: 'json',
        body: [{ op: 'replace', path, value: foreign }],
      });

      const of = await examined();
      expect(of('rights').filter((line) => line.startsWith('failed'))).toEqual([
        expect.stringMatching(/:kubewright may not \S+ \S+, and \d+ more, which migration needs$/),
      ]);
      expect(of('definitions').filter((line) => line.startsWith('failed'))).toEqual([
        'failed: objectkeepers.deckhouse.io differs from that of this version',
      ]);
      expect(of('webhooks')).toContain(
        'failed: API servers do not trust the certificate that replicas serve for kubewright-migration',
      );
      expect(of('leases')).toEqual([
        expect.stringMatching(/^failed: nobody holds the Lease kubewright\/kubewright: .* do nothing$/),
      ]);
      await client.patch(rbacv1.clusterroles, role, {
        type: 'merge',
        body: { rules: JSON.parse(JSON.stringify(rules)) },
      });
      const value = before.webhooks?.[0]?.clientConfig.caBundle ?? '';
      await client.patch(admissionregistrationv1.mutatingwebhookconfigurations, webhook, {
        type: 'json',
        body: [{ op: 'replace', path, value }],
      });
    });

    it('is shown before it is deleted, checkpoints first, and nothing is deleted without --yes', async () => {
      manager = await startManager(server().transport());
      await vi.waitFor(() => expect(manager?.health().reasons).toEqual([]), PATIENT);
      for (const { ref, object } of objects()) await client.create<KubeObject>(ref, object);
      await vi.waitFor(async () => {
        const { metadata } = await client.get(COMPOSITIONS, { namespace: 'default', name: 'site' });
        expect(metadata.finalizers).toEqual(['eno.azure.io/cleanup']);
      }, PATIENT);
      const { code, out, err } = await run('uninstall');
      expect(code).toBe(1);
      expect(err).toContain('kubewright: nothing was deleted; add --yes to delete this\n');
      const lines = out.split('\n').map((line) => line.trim());
      expect(lines.slice(0, 3)).toEqual([
        'to be deleted:',
        '1 ManifestCheckpoint: monday',
        'what was captured is gone, and cannot be restored: export it first (kubewright capture export)',
      ]);
      expect(out).toContain('1 Composition: default/site');
      expect(out).toContain('17 CustomResourceDefinition: ');
      expect(out).toContain('the namespace kubewright');
      expect(await run('uninstall', '--dry-run=server')).toMatchObject({ code: 0, out, err: '' });
      await client.get(MANIFEST_CHECKPOINTS, { name: 'monday' });
    });

    it('is not deleted while another manager works with the same definitions', async () => {
      const name = MANAGER;
      await client.create(coordinationv1.leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace: 'default', annotations: { 'kubewright.io/operators': 'drift' } },
        spec: { holderIdentity: 'laptop_1' },
      });
      const { code, err } = await run('uninstall', '--yes');
      expect(code).toBe(1);
      expect(err).toContain('laptop_1 runs drift with the Lease default/kubewright: uninstall that first');
      await client.delete(coordinationv1.leases, { namespace: 'default', name });
    });

    it('is deleted with --yes, and nothing of it is left', async () => {
      const { code, out, err } = await run('uninstall', '--yes');
      expect(code, err).toBe(0);
      expect(out).not.toContain('finalizers removed here');
      await manager?.stop();
      manager = undefined;
      await expectNothing(client);
      expect((await run('uninstall')).out).toContain('nothing is installed');
    });

    it('whose operators are gone is deleted too: what they would have released is released', async () => {
      const operators = await Promise.all(OPERATORS.map(async (one) => one.load()));
      const options = { operators: NAMES, namespace: 'elsewhere', image: 'kubewright' };
      for (const object of installManifests(operators, options)) {
        if (
          object.kind === 'MutatingWebhookConfiguration' ||
          object.kind === 'ValidatingWebhookConfiguration'
        )
          continue;
        const { apiVersion, kind } = object;
        await client.apply({ ...parseApiVersion(apiVersion), kind }, object, {
          fieldManager: 'kubectl',
          force: true,
        });
      }
      await vi.waitFor(async () => client.list(COMPOSITIONS), PATIENT);
      const object = {
        apiVersion: 'eno.azure.io/v1',
        kind: 'Composition',
        metadata: { name: 'held', namespace: 'default', finalizers: ['eno.azure.io/cleanup'] },
        spec: {},
      };
      await client.create<KubeObject>(COMPOSITIONS, object);
      await client.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'notes', namespace: 'elsewhere' },
      });
      const { code, out, err } = await run('uninstall', '-n', 'elsewhere', '--yes', '--timeout', '1');
      expect(code, err).toBe(0);
      expect(out).toContain('finalizers removed here, because no operator did so in time: 1');
      expect(out).toContain('kept: the namespace, which also has ConfigMap notes');
      await expectNothing(client);
      await client.get(corev1.configmaps, { namespace: 'elsewhere', name: 'notes' });
    });
  });
}

/** A checkpoint, a keeper, and what has a finalizer. */
function objects(): readonly { readonly ref: ResourceRef; readonly object: KubeObject }[] {
  const checkpoint = {
    apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
    kind: 'ManifestCheckpoint',
    metadata: { name: 'monday' },
    spec: {
      sourceNamespace: 'shop',
      manifestCaptureRequestRef: { name: 'monday', namespace: 'shop', uid: 'u' },
    },
  };
  const keeper = {
    apiVersion: 'deckhouse.io/v1alpha1',
    kind: 'ObjectKeeper',
    metadata: { name: 'kept' },
    spec: { mode: 'TTL', ttl: '720h' },
  };
  const composition = {
    apiVersion: 'eno.azure.io/v1',
    kind: 'Composition',
    metadata: { name: 'site', namespace: 'default' },
    spec: {},
  };
  return [
    { ref: MANIFEST_CHECKPOINTS, object: checkpoint },
    { ref: OBJECT_KEEPERS, object: keeper },
    { ref: COMPOSITIONS, object: composition },
  ];
}

async function expectNothing(client: Client): Promise<void> {
  const names = async (ref: ResourceRef): Promise<readonly string[]> =>
    (await client.list(ref)).items
      .map(({ metadata: { name } }) => name)
      .filter((name) => name.includes('kubewright'));
  const left = await Promise.all(
    [
      rbacv1.clusterroles,
      rbacv1.clusterrolebindings,
      rbacv1.roles,
      rbacv1.rolebindings,
      admissionregistrationv1.mutatingwebhookconfigurations,
      admissionregistrationv1.validatingwebhookconfigurations,
      coordinationv1.leases,
      corev1.services,
      corev1.secrets,
      corev1.serviceaccounts,
    ].map(names),
  );
  expect(left.flat()).toEqual([]);
  expect((await client.list(apiextensionsv1.customresourcedefinitions)).items).toEqual([]);
  const home = await ignoreNotFound(client.get(corev1.namespaces, { name: NAMESPACE }));
  // Without the namespace controller it stays so.
  if (home !== undefined) expect(home.metadata.deletionTimestamp).toBeDefined();
}

type Manager = RunningOperators & { readonly stop: () => Promise<void> };

async function startManager(admin: Transport): Promise<Manager> {
  const { username, groups } = accountUser(MANAGER, { namespace: NAMESPACE });
  const bare = withImpersonation(admin, { user: username, groups });
  const stopped = new AbortController();
  const running = await runOperators(
    {
      operators: OPERATORS,
      bare,
      leaseNamespace: NAMESPACE,
      webhooks: { ...behindService(NAMESPACE, 0), host: '127.0.0.1' },
    },
    { out: () => undefined, err: () => undefined, colour: false, env: {}, cwd: '/', signal: stopped.signal },
  );
  const stop = async (): Promise<void> => {
    stopped.abort();
    await running.ended;
    await bare.close();
  };
  return { ...running, stop };
}
