import { type Client, keyOf, withImpersonation } from '@kubewright/client';
import { appsv1, corev1, rbacv1, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { grantRole } from '../kit/testing/grant-role.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, type Approval, KAUSALITIES } from './api.ts';
import { approve } from './commands/approve.ts';
import { driftParts } from './controller.ts';
import { commandStage } from './testing/drift-stage.ts';
import { CTL, gatedDeployment } from './testing/gated-deployment.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const ALICE = { username: 'alice', groups: ['system:masters'] };
const BOB = { username: 'bob', groups: ['system:authenticated'] };
const WITHIN = { timeout: 30_000 };

/** Who may approve drift, and how long an approval lasts. */
export function approvalsContract(transport: () => Transport): void {
  describe('approvals of drift', () => {
    const operator = useOperator(transport, driftParts);
    const { namespace } = operator;
    const { web, observe, paint, denied, start } = gatedDeployment(operator);
    let ctl: Client;
    let alice: Client;

    const approvalsBy = (user: Client, list: readonly Partial<Approval>[]) => {
      const entries = list.map((one) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'web', ...one }));
      const annotations = { [ANNOTATIONS.approvals]: list.length === 0 ? null : JSON.stringify(entries) };
      return user.patch(appsv1.deployments, web, { type: 'merge', body: { metadata: { annotations } } });
    };
    beforeAll(async () => {
      [ctl, alice] = [operator.as(CTL), operator.as(ALICE)];
      await start();
      await grantRole(operator.admin, {
        namespace,
        name: 'bob',
        user: BOB.username,
        rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] }],
      });
    });
    afterAll(() => operator.admin.delete(KAUSALITIES, { name: namespace }));

    test('DRF-44 a gated controller cannot approve itself, whatever it may write', async () => {
      expect(await denied(paint('dark'))).toContain('no approval');
      const { metadata } = await approvalsBy(ctl, [{ mode: 'always' }]);
      expect(metadata.annotations ?? {}).not.toHaveProperty([ANNOTATIONS.approvals]);
      await observe();
      expect(await denied(paint('dark'))).toContain('no approval');
      const always = [{ apiVersion: '*', kind: '*', name: '*', mode: 'always' }];
      const annotations = { [ANNOTATIONS.mode]: 'log', [ANNOTATIONS.approvals]: JSON.stringify(always) };
      const child = await ctl.patch(corev1.configmaps, web, {
        type: 'merge',
        body: { metadata: { annotations } },
      });
      for (const key of Object.keys(annotations)) expect(annotationsOf(child)).not.toHaveProperty([key]);
    });

    test('DRF-44 to approve takes the verb approve on what owns the object', async () => {
      const bob = operator.as(BOB);
      expect(await denied(approvalsBy(bob, [{ mode: 'always' }]))).toContain(
        `bob may not approve drift: changing kausality.io/approvals needs the verb "approve" on deployments.apps in namespace ${namespace}`,
      );
      // What lets nothing through takes no more than to write.
      const freeze = (value: string | null) =>
        bob.patch(appsv1.deployments, web, {
          type: 'merge',
          body: { metadata: { annotations: { [ANNOTATIONS.freeze]: value } } },
        });
      await freeze('true');
      expect(await denied(freeze(null))).toContain('changing kausality.io/freeze needs the verb "approve"');
      const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch', 'approve'] }];
      await operator.admin.patch(
        rbacv1.roles,
        { namespace, name: 'bob' },
        { type: 'merge', body: { rules } },
      );
      await vi.waitFor(() => freeze(null), WITHIN);
      const { metadata } = await approvalsBy(bob, [{ mode: 'always', reason: 'dark is fine' }]);
      const [approval] = JSON.parse(
        metadata.annotations?.[ANNOTATIONS.approvals] ?? '[]',
      ) as readonly Approval[];
      expect(approval).toMatchObject({ by: 'bob', reason: 'dark is fine' });
      await observe();
      await paint('dark');
      await approvalsBy(bob, []);
      await observe();
      expect(await denied(paint('light'))).toContain('no approval');
    });

    test('DRF-56 written to a Deployment by the command line, an approval is valid, although that raises its generation', async () => {
      const before = await alice.get(appsv1.deployments, web);
      const stage = commandStage(
        withImpersonation(transport(), { user: ALICE.username, groups: ALICE.groups }),
        namespace,
      );
      await approve({ args: ['configmap/web'], options: { mode: 'generation' } }, async () => stage);
      const after = await alice.get(appsv1.deployments, keyOf(before));
      expect(after.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
      await observe();
      await paint('light');
      // Another annotation raises the generation again, and still it is the spec that was approved.
      await alice.patch(appsv1.deployments, web, {
        type: 'merge',
        body: { metadata: { annotations: { note: 'x' } } },
      });
      await observe();
      await paint('dark');
      const spec = { revisionHistoryLimit: 3 };
      await alice.patch(appsv1.deployments, web, { type: 'merge', body: { spec } });
      await observe();
      expect(await denied(paint('light'))).toContain('no approval');
    });

    test('DRF-56 so is one that is annotated with the generation that kubectl shows, and it ends when it says', async () => {
      const { generation } = (await alice.get(appsv1.deployments, web)).metadata;
      const written = await approvalsBy(alice, [{ mode: 'generation', generation: generation ?? 0 }]);
      expect(written.metadata.annotations?.[ANNOTATIONS.approvals]).toMatch(
        /"by":"alice".*"specHash":"[0-9a-f]{16}"/,
      );
      await observe();
      await paint('light');
      await approvalsBy(alice, [{ mode: 'always', expiry: '2020-01-01T00:00:00Z' }]);
      await observe();
      expect(await denied(paint('dark'))).toContain('no approval');
    });
  });
}
