import { corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { markReady } from './readiness.ts';
import { applySet, claimTemplate, imagesOf, revisionsOf, setWhere, settled } from './stateful.ts';
import { Story } from './story.ts';

const CONTROLLERS = ['statefulset-controller', 'garbage-collector-controller'] as const;

function statefulSets(transport: () => Transport): void {
  let story: Story;
  const begin = async (isReady?: (pod: corev1.Pod) => boolean): Promise<void> => {
    story = await Story.begin(transport(), isReady);
  };
  afterEach(() => story.end());
  const names = async (): Promise<readonly string[]> => Object.keys(await imagesOf(story));
  const ready = async (name: string): Promise<void> => {
    await waitForObject(story.client, corev1.pods, story.key(name), (pod) => pod !== undefined);
    await markReady(story.client, story.key(name));
  };

  test('a new StatefulSet gets its pods one after the other, with names and places', async () => {
    await begin(() => false);
    await applySet(story, { replicas: 2 });
    await ready('web-0');
    await ready('web-1');
    const set = await settled(story);
    const [revision] = await revisionsOf(story);
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      name: 'web',
      uid: set.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    expect(set.status).toEqual({
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: 'web-656b6d6c54',
      updateRevision: 'web-656b6d6c54',
      collisionCount: 0,
    });
    expect(revision).toMatchObject({
      metadata: {
        name: 'web-656b6d6c54',
        labels: { app: 'web', 'controller.kubernetes.io/hash': '656b6d6c54' },
        ownerReferences: [owner],
      },
      revision: 1,
    });
    expect(revision?.data).toEqual({ spec: { template: { $patch: 'replace', ...set.spec.template } } });
    const [first, second] = await story.pods();
    expect(second?.metadata).toMatchObject({
      name: 'web-1',
      generateName: 'web-',
      labels: {
        app: 'web',
        'apps.kubernetes.io/pod-index': '1',
        'controller-revision-hash': 'web-656b6d6c54',
        'statefulset.kubernetes.io/pod-name': 'web-1',
      },
      ownerReferences: [owner],
    });
    expect(first?.spec).toMatchObject({ hostname: 'web-0', subdomain: 'web' });
    await expect
      .poll(() => story.events('StatefulSet'))
      .toEqual([
        'SuccessfulCreate: Create Pod web-0 in StatefulSet web successful',
        'SuccessfulCreate: Create Pod web-1 in StatefulSet web successful',
      ]);
  });

  test('a pod is made only when all before it are ready', async () => {
    await begin(() => false);
    await applySet(story, { replicas: 2 });
    await setWhere(story, ({ status }) => status?.replicas === 1);
    expect(await names()).toEqual(['web-0']);
    await ready('web-0');
    await setWhere(story, ({ status }) => status?.replicas === 2 && status.readyReplicas === 1);
    expect(await names()).toEqual(['web-0', 'web-1']);
  });

  test('scaling down takes the highest first, and waits until it is gone', async () => {
    await begin();
    await applySet(story, { replicas: 3 });
    await settled(story);
    await applySet(story, { replicas: 1 });
    await settled(story);
    expect(await names()).toEqual(['web-0']);
    await expect
      .poll(() => story.events('StatefulSet'))
      .toContain('SuccessfulDelete: Delete Pod web-2 in StatefulSet web successful');
  });

  test('a new template replaces pods from the highest down, one at a time', async () => {
    await begin((pod) => pod.spec.containers[0]?.image === 'web:1');
    await applySet(story, { replicas: 3 });
    await settled(story);
    await applySet(story, { replicas: 3, image: 'web:2' });
    await setWhere(story, ({ status }) => status?.replicas === 3 && status.updatedReplicas === 1);
    expect(await imagesOf(story)).toEqual({ 'web-0': 'web:1', 'web-1': 'web:1', 'web-2': 'web:2' });
    for (const name of ['web-2', 'web-1', 'web-0']) {
      await waitForObject(
        story.client,
        corev1.pods,
        story.key(name),
        (pod) => pod?.spec.containers[0]?.image === 'web:2',
      );
      await ready(name);
    }
    const { status } = await settled(story);
    expect(status).toMatchObject({ currentReplicas: 3, updatedReplicas: 3 });
    expect(await imagesOf(story)).toEqual({ 'web-0': 'web:2', 'web-1': 'web:2', 'web-2': 'web:2' });
    expect((await revisionsOf(story)).map(({ revision }) => revision)).toEqual([1, 2]);
  });

  test('each pod has claims of its own, which stay when it goes', async () => {
    await begin();
    await applySet(story, {
      replicas: 2,
      volumeClaimTemplates: [claimTemplate('data', { tier: 'disk' })],
    });
    await settled(story);
    await applySet(story, { replicas: 1, volumeClaimTemplates: [claimTemplate('data', { tier: 'disk' })] });
    await settled(story);
    const { items } = await story.client.list(corev1.persistentvolumeclaims, { namespace: story.namespace });
    expect(
      items.map(({ metadata: { name, labels, ownerReferences } }) => [name, labels, ownerReferences]),
    ).toEqual([
      ['data-web-0', { app: 'web', tier: 'disk' }, undefined],
      ['data-web-1', { app: 'web', tier: 'disk' }, undefined],
    ]);
    const [pod] = await story.pods();
    expect(pod?.spec.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-web-0' },
    });
    await expect
      .poll(() => story.events('StatefulSet'))
      .toContain('SuccessfulCreate: Create Claim data-web-0 Pod web-0 in StatefulSet web success');
  });
}

describeClusters('StatefulSets', CONTROLLERS, statefulSets);
