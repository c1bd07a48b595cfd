import { randomUUID } from 'node:crypto';
import type { Client } from '@kubewright/client';
import type { Nodes } from '@kubewright/cluster';
import { appsv1, corev1, type Transport } from '@kubewright/kube';
import { Registry, waitForObject } from '@kubewright/runtime';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { driftParts } from '../../packages/operators/src/drift/controller.ts';
import { createPolicy } from '../../packages/operators/src/drift/testing/drift-stage.ts';
import { hopsOf } from '../../packages/operators/src/drift/testing/hops-of.ts';
import { useOperator } from '../../packages/operators/src/kit/testing/use-operator.ts';
import { findKubectl } from '../../tools/assets/find.mjs';
import { runSession } from '../support/kubectl-session.ts';

const PATIENCE = { timeoutMs: 120_000 };
/** Everything of apps and core. */
const RESOURCES = [
  { apiGroups: ['apps'], resources: ['*'] },
  { apiGroups: [''], resources: ['*'], excluded: ['events'] },
];

/** What people do with kubectl alone where drift is denied for all of apps and core. */
export function driftKubectlContract(
  transport: () => Transport,
  _nodes: () => Nodes,
  kubeconfigPath: () => string,
): void {
  describe('drift and kubectl', () => {
    const registry = new Registry();
    const operator = useOperator(transport, driftParts, {
      registry,
      anyKind: { apiGroups: ['apps'], resources: ['daemonsets'] },
    });
    const namespace = `kubectl-${randomUUID().slice(0, 8)}`;
    const web = { namespace, name: 'web' };
    let admin: Client;

    const kubectl = async (command: string): Promise<string> => {
      const [result] = await runSession(
        findKubectl() ?? '',
        kubeconfigPath(),
        `${command} --namespace ${namespace}`,
      );
      return `${result?.out}${result?.err}`.trim();
    };
    const available = (replicas: number): Promise<unknown> =>
      waitForObject(
        admin,
        appsv1.deployments,
        web,
        (live) =>
          live?.status?.observedGeneration === live?.metadata.generation &&
          live?.status?.availableReplicas === replicas &&
          live.status.updatedReplicas === replicas &&
          live.status.replicas === replicas,
        PATIENCE,
      );
    const newest = async (): Promise<string> => {
      const { items } = await admin.list(appsv1.replicasets, { namespace });
      return items.find(({ spec }) => (spec?.replicas ?? 0) > 0)?.metadata.name ?? '';
    };

    /** How often a decision with this reason was made. */
    const count = async (reason: string): Promise<number> => {
      const line = new RegExp(
        `^kubewright_decisions_total\\{controller="drift",reason="${reason}"\\} (\\d+)`,
        'm',
      );
      return Number(line.exec(await registry.metrics())?.[1] ?? 0);
    };
    /** How many writes a freeze has denied. */
    const frozen = (): Promise<number> => count('Frozen');

    beforeAll(async () => {
      ({ admin } = operator);
      const metadata = { name: namespace };
      await admin.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
      await createPolicy(admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace] },
        resources: RESOURCES,
      });
    });

    afterEach(async () => {
      for (const reason of ['Drift', 'Rejected', 'MayNotApprove'])
        expect(await count(reason), reason).toBe(0);
      expect(await count('Initializing')).toBeGreaterThan(0);
    });

    test('ten replicas are rolled out and back', async () => {
      expect(await kubectl('create deployment web --image=web:1 --replicas=10')).toBe(
        'deployment.apps/web created',
      );
      await available(10);
      await kubectl('set image deployment/web web=web:2');
      await available(10);
      expect(await kubectl('rollout undo deployment/web')).toBe('deployment.apps/web rolled back');
      await available(10);
      expect((await admin.get(appsv1.deployments, web)).spec?.template.spec?.containers).toMatchObject([
        { image: 'web:1' },
      ]);
    });

    test('DRF-76 scaled by a person, the Deployment has the trace of that person', async () => {
      const person = await kubectl('auth whoami -o jsonpath={.status.userInfo.username}');
      expect(await kubectl('scale deployment web --replicas=9')).toBe('deployment.apps/web scaled');
      await available(9);
      await waitForObject(
        admin,
        appsv1.deployments,
        web,
        (live) => live !== undefined && hopsOf(live)[0]?.generation === live.metadata.generation,
        PATIENCE,
      );
      expect(hopsOf(await admin.get(appsv1.deployments, web))).toMatchObject([
        { kind: 'Deployment', name: 'web', user: person },
      ]);
      expect(await kubectl('scale deployment web --replicas=10')).toBe('deployment.apps/web scaled');
      await available(10);
    });

    test('DRF-57 a freeze stops what the Deployment owns, and goes with its annotation', async () => {
      const set = await newest();
      expect(await frozen()).toBe(0);
      expect(await kubectl('annotate deployment web kausality.io/freeze=true')).toBe(
        'deployment.apps/web annotated',
      );
      expect(await kubectl(`scale replicaset ${set} --replicas=3`)).toContain('parent frozen');
      // Nobody keeps the Deployment from a change, but its controller cannot follow.
      const before = await frozen();
      await kubectl('scale deployment web --replicas=4');
      await expect.poll(() => frozen(), { timeout: PATIENCE.timeoutMs }).toBeGreaterThan(before);
      expect((await admin.get(appsv1.replicasets, { namespace, name: set })).spec?.replicas).toBe(10);
      expect(await kubectl('annotate deployment web kausality.io/freeze-')).toBe(
        'deployment.apps/web annotated',
      );
      await available(4);
    });
  });
}
