import type { Nodes } from '@kubewright/cluster';
import { type Client, createClient } from '@kubewright/client';
import { appsv1, corev1, policyv1, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { findKubectl } from '../../../tools/assets/find.mjs';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { runSession } from '../../support/kubectl-session.ts';

const PATIENCE = { timeout: 30_000 };
const NAMESPACE = { namespace: 'default' };
const labels = { app: 'web' };
const kubectl = findKubectl();

function draining(transport: () => Transport, _nodes: () => Nodes, kubeconfigPath: () => string): void {
  let client: Client;
  beforeAll(() => {
    client = createClient(transport());
  });
  const say = async (command: string): Promise<readonly string[]> => {
    const [result] = await runSession(kubectl ?? '', kubeconfigPath(), command);
    return `${result?.out}${result?.err}`.trim().split('\n').sort();
  };
  const pods = async (): Promise<readonly corev1.Pod[]> => {
    const { items } = await client.list(corev1.pods, { ...NAMESPACE, labelSelector: 'app=web' });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  };
  const on = async (node: string): Promise<readonly string[]> =>
    (await pods()).filter(({ spec }) => spec.nodeName === node).map(({ metadata }) => metadata.name ?? '');
  const available = async (): Promise<unknown> =>
    (await client.get(appsv1.deployments, { ...NAMESPACE, name: 'web' })).status?.availableReplicas;
  const cordoned = async (): Promise<unknown> =>
    (await client.get(corev1.nodes, { name: 'node-1' })).spec.taints?.map(
      ({ key, effect }) => `${key}:${effect}`,
    );

  test.skipIf(kubectl === undefined)(
    'a node is emptied within the budget, used again, and taken away',
    async () => {
      await client.create(appsv1.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { ...NAMESPACE, name: 'web' },
        spec: {
          replicas: 4,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'web', image: 'web:1' }], terminationGracePeriodSeconds: 1 },
          },
        },
      });
      await client.create(policyv1.poddisruptionbudgets, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { ...NAMESPACE, name: 'web' },
        spec: { maxUnavailable: 2, selector: { matchLabels: labels } },
      });
      await expect.poll(available, PATIENCE).toBe(4);
      const allowed = async (): Promise<unknown> =>
        (await client.get(policyv1.poddisruptionbudgets, { ...NAMESPACE, name: 'web' })).status
          ?.disruptionsAllowed;
      await expect.poll(allowed, PATIENCE).toBe(2);
      expect(await say('cordon node-1')).toEqual(['node/node-1 cordoned']);
      await expect.poll(cordoned, PATIENCE).toEqual(['node.kubernetes.io/unschedulable:NoSchedule']);
      const before = await on('node-1');
      expect(before).toHaveLength(2);
      expect(await say('drain node-1 --timeout=25s')).toEqual(
        [
          'node/node-1 already cordoned',
          'node/node-1 drained',
          ...before.flatMap((name) => [`evicting pod default/${name}`, `pod/${name} evicted`]),
        ].sort(),
      );
      await expect.poll(available, PATIENCE).toBe(4);
      expect(await on('node-1')).toEqual([]);
      expect(await on('node-2')).toHaveLength(4);
      expect(await say('uncordon node-1')).toEqual(['node/node-1 uncordoned']);
      await expect.poll(cordoned, PATIENCE).toBeUndefined();
      await client.create(corev1.pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...NAMESPACE, name: 'alone' },
        spec: { nodeName: 'node-1', containers: [{ name: 'a', image: 'a' }] },
      });
      expect(await say('drain node-1')).toEqual(
        [
          'node/node-1 cordoned',
          'error: unable to drain node "node-1" due to error: cannot delete cannot delete Pods that declare no controller (use --force to override): default/alone, continuing command...',
          'There are pending nodes to be drained:',
          'cannot delete cannot delete Pods that declare no controller (use --force to override): default/alone',
          ' node-1',
        ].sort(),
      );
      expect(await say('delete node node-1')).toEqual(['node "node-1" deleted']);
    },
  );
}

const needs = kubectl === undefined ? ' [needs kubectl: npm run assets]' : '';
describe(`draining${needs}`, () =>
  describeClusters(
    'nodes are drained by kubectl',
    {
      controllers: [
        'node-lifecycle-controller',
        'deployment-controller',
        'replicaset-controller',
        'disruption-controller',
      ],
      nodes: 2,
      kubectl: true,
    },
    draining,
  ));
