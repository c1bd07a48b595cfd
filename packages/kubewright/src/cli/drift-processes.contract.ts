import { randomUUID, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type Client, createClient, isForbidden, withImpersonation } from '@kubewright/client';
import { admissionregistrationv1, corev1, rbacv1, type Transport } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { KAUSALITIES } from '../../../operators/src/drift/api.ts';
import {
  reconcileSite,
  SITE_CONTROLLER,
  version1,
  version2,
} from '../../../operators/src/drift/demo/site-controller.ts';
import { SITES } from '../../../operators/src/drift/demo/site.ts';
import { createPolicy } from '../../../operators/src/drift/testing/drift-stage.ts';
import { reportBackend } from '../../../operators/src/drift/testing/report-backend.ts';
import { freePort } from '../../../../test/support/free-port.ts';
import { issueCertificate, makeAuthority } from '../../../../test/support/certificates.ts';
import { type RunningCommand, startCommand } from './testing/start-command.ts';

type ServerUnderTest = { readonly kubeconfigPath: string; transport(): Transport };

const CONFIGURATION = 'kausality';
const ALICE = { user: 'alice', groups: ['system:masters'] };

/** The two processes of drift, installed as the original is: its webhook configuration, its certificates, its flags. */
export function driftProcessesContract(server: () => ServerUnderTest): void {
  describe('kubewright drift webhook and controller', () => {
    const namespace = `site-${randomUUID().slice(0, 8)}`;
    const web = { namespace, name: 'web' };
    const folder = useFolder();
    const processes: RunningCommand[] = [];
    const backend = reportBackend();
    backend.reject(1);
    let admin: Client;
    let alice: Client;
    let ctl: Client;
    let authority: Awaited<ReturnType<typeof makeAuthority>>;
    let port: number;
    let health: string;

    /** Writes another certificate into the folder, as cert-manager does when one is about to expire. */
    const certify = async (): Promise<string> => {
      const pair = await issueCertificate(authority, { subject: [{ CN: ['kausality'] }], usage: 'server' });
      writeFileSync(join(folder, 'tls.crt'), pair.cert);
      writeFileSync(join(folder, 'tls.key'), pair.key);
      return new X509Certificate(pair.cert).fingerprint256;
    };
    /** Of the certificate that the webhook presents. */
    const presented = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port, ca: authority.cert }, () => {
          resolve(socket.getPeerCertificate().fingerprint256);
          socket.end();
        }).once('error', reject);
      });
    const start = async (...args: readonly string[]): Promise<RunningCommand> => {
      const running = await startCommand(folder, ['drift', ...args], { KUBECONFIG: server().kubeconfigPath });
      processes.push(running);
      return running;
    };
    const configuration = () =>
      admin.get(admissionregistrationv1.mutatingwebhookconfigurations, { name: CONFIGURATION });
    const webhook = async () => (await configuration()).webhooks?.[0] ?? expect.fail('there is a webhook');
    const rules = async () => (await webhook()).rules ?? [];
    const run = (render: typeof version1) => reconcileSite(ctl, web, render, Date.now());

    beforeAll(async () => {
      const transport = server().transport();
      admin = createClient(transport);
      alice = createClient(withImpersonation(transport, ALICE));
      ctl = createClient(
        withImpersonation(transport, { user: SITE_CONTROLLER.username, groups: SITE_CONTROLLER.groups }),
      );
      await installDefinitions(admin, [KAUSALITIES.definition, SITES.definition], { fieldManager: 'test' });
      const metadata = { name: namespace };
      await admin.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
      authority = await makeAuthority('kausality-ca');
      await certify();
      const config = join(folder, 'config.yaml');
      const url = await backend.listen();
      writeFileSync(
        config,
        `backends:\n- url: ${url}\n  timeout: 10s\n  retryCount: 3\n  retryInterval: 10ms\n`,
      );
      const metrics = ['--metrics-bind-address', '0'];
      health = `127.0.0.1:${await freePort()}`;
      const served = await start(
        'webhook',
        '--host',
        '127.0.0.1',
        '--port',
        '0',
        '--cert-dir',
        folder,
        '--config',
        config,
        '--health-probe-bind-address',
        health,
        ...metrics,
      );
      port = Number(/"port":(\d+)/.exec(served.err())?.[1]);
      await admin.create(admissionregistrationv1.mutatingwebhookconfigurations, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: CONFIGURATION },
        webhooks: [
          {
            name: 'mutating.webhook.kausality.io',
            admissionReviewVersions: ['v1'],
            sideEffects: 'NoneOnDryRun',
            reinvocationPolicy: 'IfNeeded',
            failurePolicy: 'Fail',
            clientConfig: {
              url: `https://127.0.0.1:${port}/mutate`,
              caBundle: Buffer.from(authority.cert).toString('base64'),
            },
            rules: [],
          },
        ],
      });
      await start(
        'controller',
        '--webhook-name',
        CONFIGURATION,
        '--health-probe-bind-address',
        '0',
        ...metrics,
      );
      await createPolicy(admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
    });
    afterAll(async () => {
      await admin.delete(admissionregistrationv1.mutatingwebhookconfigurations, { name: CONFIGURATION });
      await Promise.all(processes.map((one) => one.stop()));
      await backend.close();
    });

    test('a policy gets rules, which leave the address alone', async () => {
      const first = await webhook();
      expect(first.clientConfig.url).toMatch(/\/mutate$/);
      expect(first).toMatchObject({ failurePolicy: 'Fail', reinvocationPolicy: 'IfNeeded' });
      expect(first.rules?.filter(({ apiGroups = [] }) => apiGroups.includes('apps'))).toMatchObject([
        {
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          apiVersions: ['*'],
          resources: ['deployments', 'replicasets', 'statefulsets'],
        },
        {
          operations: ['UPDATE'],
          resources: ['deployments/status', 'replicasets/status', 'statefulsets/status'],
        },
      ]);
      expect(first.namespaceSelector?.matchExpressions).toEqual([
        {
          key: 'kubernetes.io/metadata.name',
          operator: 'NotIn',
          values: ['kube-system', 'kube-public', 'kube-node-lease', 'kausality-system'],
        },
      ]);
    });

    test('the webhook says that it is healthy and ready, on a port of its own', async () => {
      for (const path of ['healthz', 'readyz']) {
        const { status } = await fetch(`http://${health}/${path}`);
        expect([path, status]).toEqual([path, 200]);
      }
    });

    test('a certificate that is replaced in the folder is presented without a restart', async () => {
      const renewed = await certify();
      await expect.poll(presented, { timeout: 20_000 }).toBe(renewed);
    });

    test('a policy gets a role to aggregate, which it owns', async () => {
      const name = `kausality-policy-${namespace}`;
      const role = await waitForObject(admin, rbacv1.clusterroles, { name }, (live) => live !== undefined);
      expect(role?.metadata.labels).toMatchObject({
        'kausality.io/aggregate-to-webhook-resources': 'true',
        'kausality.io/policy': namespace,
      });
      expect(role?.metadata.ownerReferences).toMatchObject([{ kind: 'Kausality', name: namespace }]);
      expect(role?.rules?.[0]).toEqual({
        apiGroups: [''],
        resources: ['configmaps'],
        verbs: ['get', 'list', 'watch'],
      });
    });

    test('DRF-26 DRF-47 DRF-69 DRF-71 drift is denied, a change of the parent goes through, with the credentials of an admin too', async () => {
      await alice.create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: web,
        spec: { color: 'red' },
      });
      await run(version1);
      // The webhook records on the Site what custom resources lose of a response to a write of the status.
      await waitForObject(
        admin,
        SITES,
        web,
        (site) => site?.metadata.annotations?.['kausality.io/phase'] === 'initialized',
      );
      const denied: unknown = await run(version2).catch((error: unknown) => error);
      expect(denied).toSatisfy(isForbidden);
      expect(String(denied)).toContain('no approval');
      await run(version2).catch(() => undefined);
      // The backend has not acknowledged the first attempt; the second denial is the same drift.
      await expect
        .poll(() => backend.acknowledged, { timeout: 20_000 })
        .toMatchObject([
          {
            apiVersion: 'kausality.io/v1alpha1',
            kind: 'DriftReport',
            spec: {
              id: expect.stringMatching(/^[0-9a-f]{16}$/),
              phase: 'Detected',
              parent: { kind: 'Site', name: 'web', namespace, generation: 1, observedGeneration: 1 },
              child: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', namespace },
              oldObject: { data: { color: 'red' } },
              newObject: { data: { color: 'red', theme: 'dark' } },
              request: { user: SITE_CONTROLLER.username, operation: 'UPDATE' },
            },
          },
        ]);
      await alice.patch(SITES, web, { type: 'merge', body: { spec: { color: 'blue' } } });
      await run(version1);
      const live = await alice.get(corev1.configmaps, web);
      expect(live.data).toEqual({ color: 'blue' });
      expect(live.metadata.annotations?.['kausality.io/trace']).toContain('"user":"alice"');
      // The processes call as an admin: what admins write is not taken for the operator's own.
      const forged = { metadata: { annotations: { 'kausality.io/controllers': 'aaaaa' } } };
      await admin.patch(SITES, web, { type: 'merge', body: forged });
      expect((await admin.get(SITES, web)).metadata.annotations?.['kausality.io/controllers']).not.toBe(
        'aaaaa',
      );
    });

    test('DRF-57 a frozen parent denies, in mode log too; then drift is let through', async () => {
      await admin.patch(KAUSALITIES, { name: namespace }, { type: 'merge', body: { spec: { mode: 'log' } } });
      const annotate = (freeze: string | null) =>
        alice.patch(SITES, web, {
          type: 'merge',
          body: { metadata: { annotations: { 'kausality.io/freeze': freeze } } },
        });
      await annotate('true');
      const denied: unknown = await run(version2).catch((error: unknown) => error);
      expect(String(denied)).toContain('frozen');
      await annotate(null);
      // The webhook follows the policy without a restart.
      await expect.poll(() => run(version2).catch(() => 'denied'), { timeout: 20_000 }).toBe(true);
      expect((await alice.get(corev1.configmaps, web)).data).toEqual({ color: 'blue', theme: 'dark' });
    });

    test('DRF-74 rules that somebody empties come back, and go with the policy', async () => {
      const body = [{ op: 'replace', path: '/webhooks/0/rules', value: [] }];
      const ref = admissionregistrationv1.mutatingwebhookconfigurations;
      await admin.patch(ref, { name: CONFIGURATION }, { type: 'json', body });
      await expect.poll(rules, { timeout: 20_000 }).not.toEqual([]);
      // The finalizer of the original's controller does not keep a policy.
      const metadata = { finalizers: ['kausality.io/policy-controller'] };
      await admin.patch(KAUSALITIES, { name: namespace }, { type: 'merge', body: { metadata } });
      await admin.delete(KAUSALITIES, { name: namespace });
      await expect.poll(rules, { timeout: 20_000 }).toEqual([]);
      await waitForObject(admin, KAUSALITIES, { name: namespace }, (policy) => policy === undefined);
    });
  });
}
