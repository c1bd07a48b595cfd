import { admissionregistrationv1, isConditionTrue, type JsonObject, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { KAUSALITIES } from './api.ts';
import { APPROVAL_POLICIES, CLUSTER_APPROVAL_POLICIES } from './approval-policy/approval-policies.ts';
import { VALIDATION } from './approval-policy/validate-policies.ts';
import { driftParts } from './controller.ts';
import { gatedDeployment } from './testing/gated-deployment.ts';

const API_VERSION = 'kausality.io/v1alpha1';

/** Policies that approve drift, so that nobody has to approve each change. */
export function approvalPoliciesContract(transport: () => Transport): void {
  describe('approval policies', () => {
    const operator = useOperator(transport, driftParts);
    const { namespace } = operator;
    const { web, paint, denied, start } = gatedDeployment(operator);
    const key = { namespace, name: 'themes' };

    const created = async (rules: readonly JsonObject[]): Promise<void> => {
      const made = { apiVersion: API_VERSION, kind: 'ApprovalPolicy', metadata: key, spec: { rules } };
      await operator.admin.apply(APPROVAL_POLICIES, made, { fieldManager: 'admin', force: true });
      await settled();
    };
    const settled = () =>
      waitForObject(
        operator.admin,
        APPROVAL_POLICIES,
        key,
        (live) => live?.status?.conditions?.[0]?.observedGeneration === live?.metadata.generation,
      );

    beforeAll(start);
    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
    });

    test('a rule with an expression approves what it covers, and nothing else', async () => {
      expect(await denied(paint('dark'))).toContain('no approval');
      await created([
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          prereqs: { cel: 'old.metadata.name == parent.metadata.name' },
          match: {
            cel: `new.data.theme == 'dark' && trace.origin.user == 'ctl' && parent.spec.replicas == 1`,
          },
        },
      ]);
      expect(isConditionTrue((await settled())?.status?.conditions, 'Ready')).toBe(true);
      await paint('dark');
      expect(await denied(paint('light'))).toContain('no approval');
    });

    test('mode once is for one change of each child', async () => {
      await created([{ mode: 'once', expiry: '2999-01-01T00:00:00Z' }]);
      await paint('light');
      expect(await denied(paint('dark'))).toContain('no approval');
    });

    test('outside its windows, and after its expiry, a rule approves nothing', async () => {
      const year = new Date().getUTCFullYear();
      const never = { windows: [{ schedule: '0 0 30 2 *', duration: '1h' }] };
      await created([never, { expiry: `${year - 1}-01-01T00:00:00Z` }]);
      expect(await denied(paint('dark'))).toContain('no approval');
      await created([{ windows: [{ schedule: '* * * * *', duration: '2h', timeZone: 'Europe/Berlin' }] }]);
      await paint('dark');
    });

    test('DRF-105 a rule that cannot be read is rejected, and so is a change to one', async () => {
      const broken: readonly (readonly [JsonObject, string])[] = [
        [{ match: { cel: 'new.data.theme ==' } }, 'spec.rules[0].match.cel: '],
        [{ prereqs: { cel: 'nonsense.name == 1' } }, 'spec.rules[0].prereqs.cel: '],
        [{ windows: [{ schedule: 'daily', duration: '1h' }] }, 'spec.rules[0].windows[0].schedule: '],
      ];
      for (const [rule, message] of broken)
        await expect(created([rule])).rejects.toMatchObject({
          code: 422,
          message: expect.stringContaining(message) as string,
        });
      const spec = { rules: [broken[0]?.[0] ?? {}] };
      await expect(
        operator.admin.create(CLUSTER_APPROVAL_POLICIES, {
          apiVersion: API_VERSION,
          kind: 'ClusterApprovalPolicy',
          metadata: { name: `${namespace}-broken` },
          spec,
        }),
      ).rejects.toMatchObject({ code: 422 });
    });

    test('what was stored while nobody validated it is said in the status, and approves nothing', async () => {
      await operator.admin.delete(admissionregistrationv1.validatingwebhookconfigurations, {
        name: VALIDATION.metadata.name,
      });
      // A server may call a webhook for a moment after it is gone.
      await expect
        .poll(() => created([{ match: { cel: 'new.data.theme ==' } }]).then(() => 'stored', String), {
          timeout: 30_000,
        })
        .toBe('stored');
      const live = await settled();
      expect(live?.status?.conditions).toMatchObject([
        { type: 'Ready', status: 'False', message: expect.stringContaining('spec.rules[0].match.cel: ') },
      ]);
      expect(await denied(paint('light'))).toContain('no approval');
      const rejected = (rule: JsonObject): Promise<unknown> =>
        created([rule]).catch((error: unknown) => error);
      expect(await rejected({ mode: 'generation' })).toMatchObject({ code: 422 });
      expect(await rejected({ mode: 'once', operations: ['DELETE'] })).toMatchObject({ code: 422 });
      expect(await rejected({ mode: 'sometimes' })).toMatchObject({ code: 422 });
    });

    test('a ClusterApprovalPolicy is for the namespaces that its rules name', async () => {
      const name = { name: namespace };
      const apply = async (where: string): Promise<void> => {
        const spec = { users: ['ctl'], rules: [{ namespace: where, name: web.name }] };
        const made = { apiVersion: API_VERSION, kind: 'ClusterApprovalPolicy', metadata: name, spec };
        await operator.admin.apply(CLUSTER_APPROVAL_POLICIES, made, {
          fieldManager: 'admin',
          force: true,
        });
        await waitForObject(
          operator.admin,
          CLUSTER_APPROVAL_POLICIES,
          name,
          (live) => live?.status?.conditions?.[0]?.observedGeneration === live?.metadata.generation,
        );
      };
      await apply('another');
      expect(await denied(paint('light'))).toContain('no approval');
      await apply(namespace);
      await paint('light');
      await operator.admin.delete(CLUSTER_APPROVAL_POLICIES, name);
    });
  });
}
