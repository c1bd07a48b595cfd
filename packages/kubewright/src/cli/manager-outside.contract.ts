import { randomUUID } from 'node:crypto';
import { type Client, createClient, systemClock, withImpersonation } from '@kubewright/client';
import { admissionregistrationv1, apiextensionsv1, corev1, type Transport } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../test/support/free-port.ts';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { ANNOTATIONS, KAUSALITIES } from '../../../operators/src/drift/api.ts';
import { VALIDATION } from '../../../operators/src/drift/approval-policy/validate-policies.ts';
import { runDoctor } from '../../../operators/src/drift/commands/doctor/run-doctor.ts';
import {
  reconcileSite,
  SITE_CONTROLLER,
  version1,
  version2,
} from '../../../operators/src/drift/demo/site-controller.ts';
import { SITES } from '../../../operators/src/drift/demo/site.ts';
import { CONFIGURATION } from '../../../operators/src/drift/policy/webhook-entries.ts';
import { annotationsOf } from '../../../operators/src/drift/testing/annotations-of.ts';
import { commandStage, createPolicy } from '../../../operators/src/drift/testing/drift-stage.ts';
import { runCommand } from './main.ts';
import { type RunningCommand, startCommand } from './testing/start-command.ts';

type ServerUnderTest = { readonly kubeconfigPath: string; transport(): Transport };

/** `kubewright manager --kubeconfig FILE` for drift, on a machine that no Service of the cluster leads to. */
export function managerOutsideContract(server: () => ServerUnderTest): void {
  describe('drift in a manager outside of the cluster', () => {
    const namespace = `outside-${randomUUID().slice(0, 8)}`;
    const web = { namespace, name: 'web' };
    const folder = useFolder();
    let admin: Client;
    let alice: Client;
    let running: RunningCommand | undefined;

    const args = (...more: readonly string[]) => [
      'manager',
      '--operators',
      'drift',
      '--kubeconfig',
      server().kubeconfigPath,
      ...more,
    ];
    /** What a command that ends on its own says. */
    const ended = async (
      ...more: readonly string[]
    ): Promise<{ readonly code: number; readonly err: string }> => {
      let err = '';
      const code = await runCommand(args(...more), {
        out: () => undefined,
        err: (text) => void (err += text),
        colour: false,
        env: {},
        cwd: folder,
        signal: new AbortController().signal,
      });
      return { code, err };
    };
    const deleteConfigurations = async (): Promise<void> => {
      await admin.delete(admissionregistrationv1.mutatingwebhookconfigurations, { name: CONFIGURATION });
      await admin.delete(admissionregistrationv1.validatingwebhookconfigurations, VALIDATION.metadata);
    };
    const doctor = async (): Promise<string> => {
      const stage = commandStage(server().transport(), namespace);
      await runDoctor({ args: [], options: {} }, async () => stage).catch(() => undefined);
      return stage.printed();
    };

    beforeAll(async () => {
      const transport = server().transport();
      admin = createClient(transport);
      alice = createClient(withImpersonation(transport, { user: 'alice', groups: ['system:masters'] }));
      await installDefinitions(admin, [SITES.definition], { fieldManager: 'test' });
      const metadata = { name: namespace };
      await admin.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
    });
    afterEach(async () => {
      await running?.stop();
      running = undefined;
    });
    afterAll(async () => {
      await admin.delete(apiextensionsv1.customresourcedefinitions, {
        name: SITES.definition.metadata.name ?? '',
      });
    });

    test('DRF-107 without an address it ends with the next step, and the doctor says that nothing is called', async () => {
      const { code, err } = await ended('--webhook-port', '0');
      expect(code).toBe(1);
      expect(err).toContain('drift does nothing, because no API server calls its webhook in this process');
      expect(err).toContain('--webhook-url https://HOST:PORT');
      expect(await doctor()).toContain('no MutatingWebhookConfiguration calls drift: nothing is checked');
    });

    test('DRF-107 at an address it denies drift, keeps its records, and the doctor names the address', async () => {
      const port = String(await freePort());
      const url = `https://127.0.0.1:${port}`;
      running = await startCommand(folder, args('--webhook-port', port, '--webhook-url', url), {});
      await createPolicy(admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      const controller = createClient(
        withImpersonation(server().transport(), {
          user: SITE_CONTROLLER.username,
          groups: SITE_CONTROLLER.groups,
        }),
      );
      const run = (render: typeof version1) => reconcileSite(controller, web, render, systemClock.now());
      await alice.create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: web,
        spec: { color: 'red' },
      });
      await run(version1);
      // Its own record, which it writes as whoever the kubeconfig is of.
      await waitForObject(
        admin,
        SITES,
        web,
        (live) => annotationsOf(live)[ANNOTATIONS.phase] === 'initialized',
      );
      await expect(run(version2)).rejects.toMatchObject({ code: 403 });
      // Nobody else writes these, with the same credentials neither.
      const annotations = { [ANNOTATIONS.controllers]: null };
      const body = { metadata: { annotations } };
      const kept = await admin.patch(SITES, web, { type: 'merge', body });
      expect(annotationsOf(kept)).toHaveProperty([ANNOTATIONS.controllers]);
      const found = await doctor();
      expect(found).toMatch(new RegExp(`serving +ok +the API server reaches the operator at ${url}\\n`));
      await admin.delete(KAUSALITIES, { name: namespace });
    });

    test('DRF-107 an address that leads nowhere is an error, and so is one beside an installation', async () => {
      const service = { namespace: 'kubewright', name: 'kubewright', path: '/' };
      const live = await admin.get(admissionregistrationv1.mutatingwebhookconfigurations, {
        name: CONFIGURATION,
      });
      expect(live.webhooks?.[0]?.clientConfig.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
      expect(await doctor()).toContain('the API server does not reach the operator');
      await deleteConfigurations();
      const metadata = { name: CONFIGURATION };
      await admin.create(admissionregistrationv1.mutatingwebhookconfigurations, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata,
        webhooks: [
          {
            name: 'drift.kubewright.io',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            failurePolicy: 'Ignore',
            clientConfig: { service },
          },
        ],
      });
      const { code, err } = await ended('--webhook-port', '0', '--webhook-url', 'https://127.0.0.1');
      expect(code).toBe(1);
      expect(err).toContain(`MutatingWebhookConfiguration ${CONFIGURATION} calls a Service`);
      await admin.delete(admissionregistrationv1.mutatingwebhookconfigurations, metadata);
    });
  });
}
