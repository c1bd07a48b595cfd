import { appsv1, compareText, controllerOf, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { applyDaemons, deployed } from './daemons.ts';
import { applySet, claimTemplate, imagesOf, settled } from './stateful.ts';
import { Story } from './story.ts';

const CONTROLLERS = [
  'daemonset-controller',
  'garbage-collector-controller',
  'persistentvolumeclaim-protection-controller',
  'statefulset-controller',
] as const;

const PATIENCE = { timeout: 20_000 };

/** Nodes run the pods, and take their time to let them go. */
function onNodes(transport: () => Transport): void {
  let story: Story;
  beforeEach(async () => {
    story = await Story.begin(transport(), () => false);
  });
  afterEach(() => story.end());
  const nodesOf = async (): Promise<readonly string[]> =>
    (await story.pods()).map(({ spec }) => spec.nodeName ?? '').sort((a, b) => compareText(a, b));

  test('a StatefulSet is made, updated, scaled down, and deleted with all that it has', async () => {
    await applySet(story, { replicas: 3 });
    await settled(story);
    await applySet(story, { replicas: 3, image: 'web:2' });
    await settled(story);
    expect(await imagesOf(story)).toEqual({ 'web-0': 'web:2', 'web-1': 'web:2', 'web-2': 'web:2' });
    await applySet(story, { replicas: 1, image: 'web:2' });
    await settled(story);
    expect(await imagesOf(story)).toEqual({ 'web-0': 'web:2' });
    await story.client.delete(appsv1.statefulsets, story.key('web'), { propagationPolicy: 'Foreground' });
    await waitForObject(story.client, appsv1.statefulsets, story.key('web'), (set) => set === undefined);
    expect(await story.pods()).toEqual([]);
  });

  test('claims go with the pods that are scaled away, and with the set', async () => {
    const set = {
      volumeClaimTemplates: [claimTemplate('data')],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    };
    /** Of each claim its name and the kind of its owner. */
    const claims = async (): Promise<readonly string[]> => {
      const { items } = await story.client.list(corev1.persistentvolumeclaims, {
        namespace: story.namespace,
      });
      return items.map((claim) => `${claim.metadata.name} of ${controllerOf(claim)?.kind}`);
    };
    await applySet(story, { replicas: 2, podManagementPolicy: 'Parallel', ...set });
    await expect.poll(claims, PATIENCE).toEqual(['data-web-0 of StatefulSet', 'data-web-1 of StatefulSet']);
    await applySet(story, { replicas: 1, podManagementPolicy: 'Parallel', ...set });
    await expect.poll(claims, PATIENCE).toEqual(['data-web-0 of StatefulSet']);
    await applySet(story, { replicas: 2, podManagementPolicy: 'Parallel', ...set });
    await expect.poll(claims, PATIENCE).toEqual(['data-web-0 of StatefulSet', 'data-web-1 of StatefulSet']);
    await story.client.delete(appsv1.statefulsets, story.key('web'));
    await expect.poll(claims, PATIENCE).toEqual([]);
  });

  test('a DaemonSet has a pod on each node, also while it is updated with surge', async () => {
    const updateStrategy = {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    } as const;
    const everywhere = { nodeSelector: {} };
    await applyDaemons(story, { spec: everywhere, updateStrategy });
    await deployed(story, 2);
    expect(await nodesOf()).toEqual(['node-1', 'node-2']);
    await applyDaemons(story, { spec: everywhere, updateStrategy, image: 'agent:2' });
    await deployed(story, 2);
    await expect.poll(nodesOf, PATIENCE).toEqual(['node-1', 'node-2']);
    const set = await applyDaemons(story, {
      spec: { nodeSelector: { 'kubernetes.io/hostname': 'node-2' } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    });
    await deployed(story, 1);
    await expect.poll(nodesOf, PATIENCE).toEqual(['node-2']);
    const [pod] = await story.pods();
    expect(pod === undefined ? undefined : controllerOf(pod)?.uid).toBe(set.metadata.uid);
  });
}

describeClusters('StatefulSets and DaemonSets on nodes', { controllers: CONTROLLERS, nodes: 2 }, onNodes);
