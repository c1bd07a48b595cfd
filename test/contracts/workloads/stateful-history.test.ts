import { appsv1, type corev1, type Transport } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { applySet, imagesOf, revisionsOf, setWhere, settled } from './stateful.ts';
import { Story } from './story.ts';

const HASH = 'controller.kubernetes.io/hash';

/** Revisions of a set, and its places: what comes besides pods that are made one after the other. */
function stateful(transport: () => Transport): void {
  let story: Story;
  let isReady: (pod: corev1.Pod) => boolean;
  beforeEach(async () => {
    isReady = () => true;
    story = await Story.begin(transport(), (pod) => isReady(pod));
  });
  afterEach(() => story.end());
  const names = async (): Promise<readonly string[]> => Object.keys(await imagesOf(story));
  const rolled = async (image: string, more: object = {}): Promise<appsv1.StatefulSet> => {
    await applySet(story, { replicas: 1, image, ...more });
    return settled(story);
  };
  const history = async (): Promise<readonly (readonly [number, string | undefined])[]> =>
    (await revisionsOf(story)).map(({ revision, data }) => [
      revision,
      JSON.stringify(data).match(/web:\d/)?.[0],
    ]);

  describe('the history', () => {
    test('brings an old revision back as the newest, under the name that it had', async () => {
      const first = await rolled('web:1');
      await rolled('web:2');
      expect(await history()).toEqual([
        [1, 'web:1'],
        [2, 'web:2'],
      ]);
      const back = await rolled('web:1');
      expect(back.status?.currentRevision).toBe(first.status?.currentRevision);
      expect(await history()).toEqual([
        [2, 'web:2'],
        [3, 'web:1'],
      ]);
    });

    test('keeps as many old revisions as it may, and those of which there are pods', async () => {
      for (const version of [1, 2, 3, 4]) await rolled(`web:${version}`, { revisionHistoryLimit: 1 });
      await expect.poll(history).toEqual([
        [3, 'web:3'],
        [4, 'web:4'],
      ]);
    });

    test('a name that other data has changes the hash', async () => {
      const taken = 'web-656b6d6c54';
      await story.client.create(appsv1.controllerrevisions, {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { name: taken, namespace: story.namespace },
        data: { other: true },
        revision: 1,
      });
      await applySet(story, { replicas: 1 });
      const { status } = await setWhere(story, (set) => set.status?.updateRevision !== undefined);
      expect(status?.collisionCount).toBe(1);
      expect(status?.updateRevision).not.toBe(taken);
      const made = (await revisionsOf(story)).find(
        ({ metadata }) => metadata.name === status?.updateRevision,
      );
      expect([made?.revision, made?.metadata.labels?.[HASH]]).toEqual([1, taken.replace('web-', '')]);
    });

    test('takes orphans in', async () => {
      const set = await rolled('web:1');
      const [revision] = await revisionsOf(story);
      const key = story.key(revision?.metadata.name ?? '');
      await story.client.patch(appsv1.controllerrevisions, key, {
        type: 'merge',
        body: { metadata: { ownerReferences: null } },
      });
      await applySet(story, { replicas: 2 });
      await settled(story);
      const { metadata } = await story.client.get(appsv1.controllerrevisions, key);
      expect(metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([set.metadata.uid]);
    });
  });

  test('a parallel set makes and removes its pods all at once', async () => {
    isReady = () => false;
    await applySet(story, { replicas: 3, podManagementPolicy: 'Parallel' });
    await setWhere(story, ({ status }) => status?.replicas === 3);
    expect(await names()).toEqual(['web-0', 'web-1', 'web-2']);
    await applySet(story, { replicas: 0, podManagementPolicy: 'Parallel' });
    await setWhere(story, ({ status }) => status?.replicas === 0);
    expect(await names()).toEqual([]);
  });

  test('places begin where they are said to; those before go when the others are ready', async () => {
    await applySet(story, { replicas: 2, ordinals: { start: 3 } });
    await settled(story);
    expect(await names()).toEqual(['web-3', 'web-4']);
    await applySet(story, { replicas: 2, ordinals: { start: 4 } });
    await setWhere(story, ({ status }) => status?.replicas === 2 && status.observedGeneration === 2);
    await expect.poll(names).toEqual(['web-4', 'web-5']);
  });

  test('a pod must have been ready for long enough before the next is made', async () => {
    await applySet(story, { replicas: 2, minReadySeconds: 2 });
    const first = await setWhere(story, ({ status }) => status?.readyReplicas === 1);
    expect(first.status).toMatchObject({ replicas: 1, availableReplicas: 0 });
    const last = await setWhere(story, ({ status }) => status?.availableReplicas === 2);
    expect(last.status).toMatchObject({ replicas: 2, readyReplicas: 2 });
  });

  test('a pod that the server refuses is told of, and the set goes on trying', async () => {
    const name = `w${'e'.repeat(60)}b`;
    const labels = { app: 'web' };
    const spec = { containers: [{ name: 'web', image: 'web:1' }] };
    await story.client.create(appsv1.statefulsets, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name, namespace: story.namespace },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    const why = `Create Pod ${name}-0 in StatefulSet ${name} failed error: Pod "${name}-0" is invalid: `;
    await expect
      .poll(async () => (await story.events('StatefulSet')).map((text) => text.slice(0, why.length + 14)))
      .toContain(`FailedCreate: ${why}`);
  });
}

describeClusters(
  'the history and the places of StatefulSets',
  ['statefulset-controller', 'garbage-collector-controller'],
  stateful,
);
