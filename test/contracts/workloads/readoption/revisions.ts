import { appsv1, corev1, type Transport } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { markReady } from '../readiness.ts';
import { applySet, imagesOf, setWhere, settled } from '../stateful.ts';
import { Story } from '../story.ts';
import { fence, findPod, handOver, podGone, podWhere, REVISION_LABEL } from './orphans.ts';

/** Which template a pod is of, and which one a new pod is made from. */
export function revisions(transport: () => Transport): void {
  let story: Story;
  beforeEach(async () => {
    story = await Story.begin(transport(), () => false);
  });
  afterEach(() => story.end());
  const remove = async (name: string): Promise<void> => {
    await story.client.delete(corev1.pods, story.key(name));
  };
  /** A pod `name` with `image`, ready. */
  const ready = async (name: string, image = 'web:1'): Promise<corev1.Pod> => {
    const made = await podWhere(story, name, ({ spec }) => spec.containers[0]?.image === image);
    await markReady(story.client, story.key(name));
    return made;
  };
  const readyAll = async (count: number): Promise<void> => {
    for (let ordinal = 0; ordinal < count; ordinal++) await ready(`web-${ordinal}`);
    await settled(story);
  };

  describe('a pod is of the revision that its label names', () => {
    test('whatever its spec says', async () => {
      const spec = { containers: [{ name: 'other', image: 'other:7' }], hostname: 'x' };
      const { pod } = await handOver(story, { spec });
      await settled(story);
      await fence(story);
      expect((await findPod(story, 'web-0'))?.metadata.uid).toBe(pod.metadata.uid);
    });

    test('and is replaced if that is not the set’s', async () => {
      const { pod } = await handOver(story, { labels: { [REVISION_LABEL]: 'web-old' } });
      await podWhere(story, 'web-0', ({ metadata }) => metadata.uid !== pod.metadata.uid);
    });

    test('but not below the partition, nor in a set that updates on deletion only', async () => {
      const rollingUpdate = { partition: 1 };
      const { pod } = await handOver(story, {
        labels: { [REVISION_LABEL]: 'web-old' },
        set: { updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
      });
      await fence(story);
      expect((await findPod(story, 'web-0'))?.metadata.uid).toBe(pod.metadata.uid);
      await setUpdateStrategy(story, { type: 'OnDelete', rollingUpdate: null });
      await setWhere(story, ({ status }) => status?.observedGeneration === 2);
      await fence(story);
      expect((await findPod(story, 'web-0'))?.metadata.uid).toBe(pod.metadata.uid);
    });
  });

  describe('a new pod', () => {
    test('below the partition is of the current revision, from there on of the update', async () => {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } as const;
      await applySet(story, { replicas: 2, updateStrategy });
      await readyAll(2);
      await applySet(story, { replicas: 2, updateStrategy, image: 'web:2' });
      await ready('web-1', 'web:2');
      await setWhere(story, ({ status }) => status?.updatedReplicas === 1 && status.readyReplicas === 2);
      const { metadata } = await podWhere(story, 'web-0', () => true);
      await remove('web-0');
      await podWhere(story, 'web-0', (pod) => pod.metadata.uid !== metadata.uid);
      await ready('web-0');
      const { status } = await setWhere(story, (set) => set.status?.readyReplicas === 2);
      expect(await imagesOf(story)).toEqual({ 'web-0': 'web:1', 'web-1': 'web:2' });
      expect((await findPod(story, 'web-0'))?.metadata.labels?.[REVISION_LABEL]).toBe(
        status?.currentRevision,
      );
      expect((await findPod(story, 'web-1'))?.metadata.labels?.[REVISION_LABEL]).toBe(status?.updateRevision);
      expect(status).toMatchObject({ currentReplicas: 1, updatedReplicas: 1 });
    });

    test('without a partition is of the current revision while its place is below the pods that still are', async () => {
      const updateStrategy = { type: 'RollingUpdate' } as const;
      await applySet(story, { replicas: 3, updateStrategy });
      await readyAll(3);
      await applySet(story, { replicas: 3, updateStrategy, image: 'web:2' });
      // The update waits for web-2, which is not ready.
      await podWhere(story, 'web-2', ({ spec }) => spec.containers[0]?.image === 'web:2');
      await setWhere(story, ({ status }) => status?.currentReplicas === 2 && status.updatedReplicas === 1);
      const { metadata } = await podWhere(story, 'web-0', () => true);
      await remove('web-0');
      const made = await podWhere(story, 'web-0', (pod) => pod.metadata.uid !== metadata.uid);
      expect(made.spec.containers[0]?.image).toBe('web:1');
    });

    test('after a deletion by hand in a set that updates on deletion only is of the update', async () => {
      const updateStrategy = { type: 'OnDelete' } as const;
      await applySet(story, { replicas: 2, updateStrategy });
      await readyAll(2);
      await applySet(story, { replicas: 2, updateStrategy, image: 'web:2' });
      await setWhere(story, ({ status }) => status?.observedGeneration === 2);
      await remove('web-1');
      await ready('web-1', 'web:2');
      await setWhere(story, ({ status }) => status?.updatedReplicas === 1 && status.readyReplicas === 2);
      expect(await imagesOf(story)).toEqual({ 'web-0': 'web:1', 'web-1': 'web:2' });
    });
  });

  test('any change of the template restarts every replica, a node selector too', async () => {
    await applySet(story, { replicas: 2 });
    await readyAll(2);
    const before = await story.pods();
    const body = { spec: { template: { spec: { nodeSelector: { disk: 'fast' } } } } };
    await story.client.patch(appsv1.statefulsets, story.key('web'), { type: 'merge', body });
    for (const name of ['web-1', 'web-0']) {
      await podWhere(story, name, ({ spec }) => spec.nodeSelector?.['disk'] === 'fast');
      await markReady(story.client, story.key(name));
    }
    await settled(story);
    const uids = new Set(before.map(({ metadata }) => metadata.uid));
    expect((await story.pods()).filter(({ metadata }) => uids.has(metadata.uid))).toEqual([]);
  });

  test('a pod that is on its way out holds its place, and an ordered set waits for it', async () => {
    await applySet(story, { replicas: 2 });
    await readyAll(2);
    const finalizers = ['example.com/stay'];
    const hold = (held: readonly string[] | null): Promise<unknown> =>
      story.client.patch(corev1.pods, story.key('web-0'), {
        type: 'merge',
        body: { metadata: { finalizers: held } },
      });
    await hold(finalizers);
    const { metadata } = await podWhere(story, 'web-0', () => true);
    await remove('web-0');
    await remove('web-1');
    await podGone(story, 'web-1');
    await fence(story);
    expect((await findPod(story, 'web-0'))?.metadata.uid).toBe(metadata.uid);
    expect(await findPod(story, 'web-1')).toBeUndefined();
    await hold(null);
    await podWhere(story, 'web-0', (pod) => pod.metadata.uid !== metadata.uid);
  });

  test('a pod that has failed or succeeded is deleted and made anew', async () => {
    await applySet(story, { replicas: 1 });
    for (const phase of ['Failed', 'Succeeded']) {
      const { metadata } = await podWhere(story, 'web-0', ({ status }) => status?.phase === 'Pending');
      await story.client.patch(
        corev1.pods,
        story.key('web-0'),
        { type: 'merge', body: { status: { phase } } },
        { subresource: 'status' },
      );
      await podWhere(story, 'web-0', (pod) => pod.metadata.uid !== metadata.uid);
    }
    await expect
      .poll(() => story.events('StatefulSet'))
      .toEqual([
        'SuccessfulCreate: Create Pod web-0 in StatefulSet web successful',
        'SuccessfulDelete: Delete Pod web-0 in StatefulSet web successful',
      ]);
  });
}

function setUpdateStrategy(story: Story, updateStrategy: object): Promise<unknown> {
  const body = { spec: { updateStrategy } } as never;
  return story.client.patch(appsv1.statefulsets, story.key('web'), { type: 'merge', body });
}
