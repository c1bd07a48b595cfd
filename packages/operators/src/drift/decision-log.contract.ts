import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, isForbidden, systemClock, withImpersonation } from '@kubewright/client';
import { apiextensionsv1, corev1, type Transport } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { APPROVAL_POLICIES } from './approval-policy/approval-policies.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { explain } from './commands/explain.ts';
import { simulate } from './commands/simulate.ts';
import { driftParts } from './controller.ts';
import { DECISION_LOGS, type LoggedDecision } from './decision-log/decision-logs.ts';
import { reconcileSite, SITE_CONTROLLER, version1, version2 } from './demo/site-controller.ts';
import { SITES } from './demo/site.ts';
import { commandStage, createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const ALICE = { username: 'alice', groups: ['system:masters'] };
const BOB = { ...ALICE, username: 'bob' };
const POLICY = { apiVersion: 'kausality.io/v1alpha1', kind: 'ApprovalPolicy', metadata: { name: 'themes' } };

/** What is remembered of decisions, and what people learn from it. */
export function decisionLogContract(transport: () => Transport): void {
  describe('the decision log', () => {
    const operator = useOperator(transport, driftParts, {
      anyKind: { apiGroups: [SITES.group], resources: ['sites'] },
    });
    const { namespace } = operator;
    const web = { namespace, name: 'web' };
    const folder = useFolder();
    let alice: Client;

    const stage = () =>
      commandStage(withImpersonation(transport(), { user: 'alice', groups: ALICE.groups }), namespace);
    const controller = (render: typeof version1): Promise<boolean> =>
      reconcileSite(operator.as(SITE_CONTROLLER), web, render, systemClock.now());
    const decisions = async (): Promise<readonly LoggedDecision[]> => {
      const { uid } = (await alice.get(SITES, web)).metadata;
      const log = (await alice.list(DECISION_LOGS, { namespace })).items.find(
        ({ metadata: { name } }) => name === uid,
      );
      return log?.spec.decisions ?? [];
    };
    /** Once a decision of that reason is logged. */
    const logged = (reason: string): Promise<readonly LoggedDecision[]> =>
      vi.waitFor(
        async () => {
          const found = await decisions();
          expect(found.map((one) => one.reason)).toContain(reason);
          return found;
        },
        { timeout: 30_000, interval: 200 },
      );
    const explained = async (target: string): Promise<string> => {
      const shown = stage();
      await explain({ args: [target], options: {} }, async () => shown);
      return shown.printed();
    };
    const simulated = async (policy: object): Promise<string> => {
      const filename = join(folder, 'policy.yaml');
      writeFileSync(filename, JSON.stringify(policy));
      const shown = stage();
      await simulate({ args: [], options: { filename }, terminal: shown }, async () => shown);
      return shown.printed();
    };

    beforeAll(async () => {
      await installDefinitions(operator.admin, [SITES.definition], { fieldManager: 'test' });
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      alice = operator.as(ALICE);
      const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'probe' } } as const;
      await vi.waitFor(
        async () => {
          // A server may call a webhook a moment after it is configured.
          const made = await alice.apply(corev1.configmaps, probe, { fieldManager: 'test' });
          expect(annotationsOf(made)).toHaveProperty([ANNOTATIONS.updaters]);
        },
        { timeout: 30_000 },
      );
      await alice.create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: { ...web, annotations: { 'kausality.io/trace-ticket': 'J-1' } },
        spec: { color: 'red' },
      });
      await controller(version1);
      await waitForObject(
        alice,
        SITES,
        web,
        (live) => annotationsOf(live)[ANNOTATIONS.phase] === 'initialized',
      );
    });
    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
        name: SITES.definition.metadata.name ?? '',
      });
    });

    test('the log of a parent has its creation, that of its child and the drift that was denied, and goes with it', async () => {
      await expect(controller(version2)).rejects.toSatisfy(isForbidden);
      const found = await logged('Drift');
      expect(found.find(({ operation, object }) => operation === 'CREATE' && object.kind === 'Site')).toEqual(
        expect.objectContaining({ user: 'alice', allowed: true, reason: 'NoParent' }),
      );
      expect(found.find(({ reason }) => reason === 'Drift')).toMatchObject({
        operation: 'UPDATE',
        object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', uid: expect.any(String) as string },
        user: SITE_CONTROLLER.username,
        allowed: false,
        mode: 'enforce',
        fields: ['data.theme'],
        trace: [{ kind: 'Site', name: 'web', user: 'alice', labels: { ticket: 'J-1' } }],
      });
      const site = await alice.get(SITES, web);
      const log = await alice.get(DECISION_LOGS, { namespace, name: site.metadata.uid });
      expect(log.metadata.ownerReferences).toEqual([
        { apiVersion: 'demo.kubewright.io/v1', kind: 'Site', name: 'web', uid: site.metadata.uid },
      ]);
    });

    test('explain: who set each field, because of whom, and what was denied', async () => {
      await expect(controller(version2)).rejects.toSatisfy(isForbidden);
      await logged('Drift');
      expect(await explained('configmap/web')).toMatch(
        /data\.color +"red" +system:serviceaccount:demo-drift:site-controller +\S+ +because alice changed Site web to generation 1 \(ticket: J-1\)\n/,
      );
      expect(await explained('configmap/web')).toMatch(
        /Denied\n +\S+: \S+:site-controller wanted to change data\.theme: Drift/,
      );
      expect(await explained('site/web')).toMatch(
        /spec\.color +"red" +alice +\S+ +the cause itself \(ticket: J-1\)\n/,
      );
      expect(await explained('namespace/kube-system')).toContain('not in the log');
      await expect(explained('site/none')).rejects.toThrow('there is no Site "none"');
    });

    test('simulate: what a policy would have approved of the logged drift; nothing is stored', async () => {
      await expect(controller(version2)).rejects.toSatisfy(isForbidden);
      await logged('Drift');
      expect(await simulated({ ...POLICY, spec: { rules: [{ kind: 'ConfigMap' }] } })).toBe(
        '1 of 1 drifts would have been approved\n',
      );
      const other = await simulated({ ...POLICY, spec: { rules: [{ kind: 'Secret' }] } });
      expect(other).toMatch(/^0 of 1 drifts would have been approved\n/);
      expect(other).toMatch(/not approved +ConfigMap web +UPDATE +\S+ +\S+ +data\.theme\n/);
      const reading = (cel: string) => simulated({ ...POLICY, spec: { rules: [{ match: { cel } }] } });
      expect(
        await reading(`new.data.theme == 'dark' && !has(old.data.theme) && parent.spec.color == 'red'`),
      ).toBe('1 of 1 drifts would have been approved\n');
      expect(await reading(`new.data.theme == 'light'`)).toMatch(/^0 of 1 drifts would have been approved\n/);
      expect(await reading('size(new.metadata.annotations) > 0')).toContain(
        '0 of 1 drifts would have been approved; 1 are unknown',
      );
      await expect(simulated({ ...POLICY, spec: { rules: [] } })).rejects.toThrow('spec.rules');
      await expect(simulated({ ...POLICY, spec: { rules: [{ match: { cel: 'new.' } }] } })).rejects.toThrow(
        'spec.rules[0].match.cel',
      );
      await expect(simulated({ ...POLICY, kind: 'Secret' })).rejects.toThrow(
        '"Secret" is not ApprovalPolicy or ClusterApprovalPolicy',
      );
      expect((await alice.list(APPROVAL_POLICIES, { namespace })).items).toEqual([]);
    });

    test('a dry run and a write of labels are not logged', async () => {
      const paint = (color: string) => ({ type: 'merge', body: { spec: { color } } }) as const;
      const label = { metadata: { labels: { seen: 'yes' } } };
      await operator.as(BOB).patch(SITES, web, paint('green'), { dryRun: true });
      await alice.patch(SITES, web, { type: 'merge', body: label });
      await alice.patch(SITES, web, paint('blue'));
      const updates = await vi.waitFor(
        async () => {
          const found = (await decisions()).filter(
            ({ operation, object }) => operation === 'UPDATE' && object.kind === 'Site',
          );
          expect(found.map(({ user }) => user)).toContain('alice');
          return found;
        },
        { timeout: 30_000, interval: 200 },
      );
      // Not how often: a server that had not yet seen the label itself asks about the patch twice.
      expect(updates).toMatchObject([{ user: 'alice', fields: ['spec.color'], reason: 'NoParent' }]);
    });
  });
}
