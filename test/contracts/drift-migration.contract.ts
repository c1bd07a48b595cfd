import { corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ANNOTATIONS, KAUSALITIES } from '../../packages/operators/src/drift/api.ts';
import { driftParts } from '../../packages/operators/src/drift/controller.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';
import { createPolicy } from '../../packages/operators/src/drift/testing/drift-stage.ts';
import { useOperator } from '../../packages/operators/src/kit/testing/use-operator.ts';
import { STATEFUL_MIGRATIONS } from '../../packages/operators/src/migration/api.ts';
import { migrationContract } from '../../packages/operators/src/migration/migration.contract.ts';
import { stayingShadowContract } from '../../packages/operators/src/migration/staying-shadow.contract.ts';
import type { BrokerForLoad } from '../../packages/operators/src/migration/testing/migration-calls.ts';

const { group } = STATEFUL_MIGRATIONS;

/** What the operator `migration` does, where drift of everything that it and the StatefulSets write is denied. */
export function driftMigrationContract(transport: () => Transport, broker: () => BrokerForLoad): void {
  describe('migrations where drift is denied', () => {
    const anyKind = { apiGroups: [group], resources: ['statefulmigrations'] };
    const drift = useOperator(transport, driftParts, { anyKind });

    beforeAll(async () => {
      await createPolicy(drift.admin, drift.namespace, {
        mode: 'enforce',
        // Nothing is let through because little is known of its parent.
        enforceUncovered: true,
        resources: [
          { apiGroups: [''], resources: ['configmaps', 'secrets', 'services', 'pods'] },
          { apiGroups: ['apps'], resources: ['statefulsets', 'controllerrevisions'] },
          { apiGroups: [group], resources: ['*'] },
        ],
      });
      let tries = 0;
      await vi.waitFor(
        async () => {
          // A server may call a webhook a moment after it is configured.
          const metadata = { namespace: drift.namespace, name: `probe-${(tries += 1)}` };
          const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as const;
          const alice = drift.as({ username: 'alice', groups: ['system:masters'] });
          const probe = await alice.create(corev1.configmaps, configMap);
          expect(annotationsOf(probe)).toHaveProperty([ANNOTATIONS.updaters]);
        },
        { timeout: 30_000 },
      );
    });

    migrationContract(transport, broker);
    stayingShadowContract(transport, broker);

    test('DRF-176 pods moved as they do without a policy: nothing was drift, and their writes were counted', async () => {
      const policy = await waitForObject(
        drift.admin,
        KAUSALITIES,
        { name: drift.namespace },
        (live) => live?.status?.kinds?.some(({ kind }) => kind === 'StatefulSet') === true,
      );
      expect(policy?.status?.alarms).toMatch(/^0 of [1-9]\d* writes$/);
      const { items } = await drift.admin.list(corev1.events);
      expect(items.filter(({ reason }) => reason === 'DriftDetected')).toEqual([]);
    });
  });
}
