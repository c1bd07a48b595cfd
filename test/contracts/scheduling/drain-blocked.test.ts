import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Nodes } from '@kubewright/cluster';
import { type Client, createClient, type ResourceRef } from '@kubewright/client';
import { appsv1, corev1, policyv1, type Transport } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findKubectl } from '../../../tools/assets/find.mjs';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { type CommandResult, runSession } from '../../support/kubectl-session.ts';

const PATIENCE = { timeout: 30_000 };
const NAMESPACE = { namespace: 'default' };
const WEB = { ...NAMESPACE, name: 'web' };
const labels = { app: 'web' };
const kubectl = findKubectl();

/** What kubectl makes of an eviction that is refused: for now, or for good. */
function blocked(transport: () => Transport, _nodes: () => Nodes, kubeconfigPath: () => string): void {
  let client: Client;
  let folder: string;
  let errors: string;
  beforeEach(() => {
    client = createClient(transport());
    folder = mkdtempSync(join(tmpdir(), 'kubewright-drain-'));
    errors = join(folder, 'errors');
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    for (const { metadata } of (await client.list(policyv1.poddisruptionbudgets, NAMESPACE)).items)
      await client.delete(policyv1.poddisruptionbudgets, { ...NAMESPACE, name: metadata.name });
    await client.delete(appsv1.replicasets, WEB, { propagationPolicy: 'Foreground' });
    for (const ref of [corev1.pods, appsv1.replicasets] as readonly ResourceRef[])
      await expect.poll(async () => (await client.list(ref, NAMESPACE)).items, PATIENCE).toEqual([]);
    const body = { spec: { unschedulable: null } };
    await client.patch(corev1.nodes, { name: 'node-1' }, { type: 'merge', body });
  });
  const told = (): string => readFileSync(errors, 'utf8');
  const drain = async (): Promise<CommandResult | undefined> =>
    (await runSession(kubectl ?? '', kubeconfigPath(), `drain node-1 --timeout=60s 2>${errors}`))[0];
  const budget = async (name: string): Promise<void> => {
    await client.create(policyv1.poddisruptionbudgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { ...NAMESPACE, name },
      spec: { maxUnavailable: 0, selector: { matchLabels: labels } },
    });
    const expected = async (): Promise<unknown> =>
      (await client.get(policyv1.poddisruptionbudgets, { ...NAMESPACE, name })).status?.currentHealthy;
    await expect.poll(expected, PATIENCE).toBe(1);
  };
  /** The name of the one pod, when it is ready. */
  const onePod = async (): Promise<string> => {
    const containers = [{ name: 'web', image: 'web:1' }];
    await client.create(appsv1.replicasets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: WEB,
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 1 } },
      },
    });
    const ready = async (): Promise<unknown> =>
      (await client.get(appsv1.replicasets, WEB)).status?.readyReplicas;
    await expect.poll(ready, PATIENCE).toBe(1);
    return (await client.list(corev1.pods, NAMESPACE)).items[0]?.metadata.name ?? '';
  };

  test.skipIf(kubectl === undefined)(
    'a budget that has nothing left is asked again after 5 seconds',
    async () => {
      const pod = await onePod();
      await budget('web');
      const drained = drain();
      const refused = `error when evicting pods/"${pod}" -n "default" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`;
      await expect.poll(told, PATIENCE).toContain(refused);
      await client.patch(policyv1.poddisruptionbudgets, WEB, {
        type: 'merge',
        body: { spec: { maxUnavailable: 1 } },
      });
      const result = await drained;
      expect([result?.rc, result?.out.trim().split('\n')]).toEqual([
        0,
        expect.arrayContaining([`pod/${pod} evicted`, 'node/node-1 drained']),
      ]);
    },
  );

  test.skipIf(kubectl === undefined)('any other refusal ends the draining, and the pod stays', async () => {
    const pod = await onePod();
    await budget('web');
    await budget('too');
    expect((await drain())?.rc).toBe(1);
    expect(told()).toContain(
      `error when evicting pods/"${pod}" -n "default": This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.`,
    );
    expect(told()).not.toContain('will retry');
    const { metadata } = await client.get(corev1.pods, { ...NAMESPACE, name: pod });
    expect(metadata.deletionTimestamp).toBeUndefined();
  });
}

const needs = kubectl === undefined ? ' [needs kubectl: npm run assets]' : '';
describe(`draining a node whose pods may not go${needs}`, () =>
  describeClusters(
    'evictions are repeated by kubectl',
    {
      controllers: ['replicaset-controller', 'disruption-controller', 'garbage-collector-controller'],
      nodes: 1,
      kubectl: true,
    },
    blocked,
  ));
