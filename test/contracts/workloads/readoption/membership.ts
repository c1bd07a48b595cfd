import { appsv1, corev1, type Transport } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { markReady } from '../readiness.ts';
import { applySet, revisionsOf, setWhere, settled, statefulSet } from '../stateful.ts';
import { Story } from '../story.ts';
import {
  fence,
  findPod,
  foreignOwner,
  makePod,
  makeReadyPod,
  ownerOf,
  patchPod,
  podGone,
  podWhere,
} from './orphans.ts';

/** Whose a pod is, and what becomes of one that changes hands. */
export function membership(transport: () => Transport): void {
  let story: Story;
  beforeEach(async () => {
    story = await Story.begin(transport(), () => false);
  });
  afterEach(() => story.end());
  const ready = async (name: string): Promise<void> => {
    await podWhere(story, name, () => true);
    await markReady(story.client, story.key(name));
  };

  describe('membership', () => {
    test('a pod belongs to the set that is named before its last dash and number', async () => {
      await applySet(story, { replicas: 0, podManagementPolicy: 'Parallel' });
      for (const name of ['web-0-shadow', 'web-shadow-0', 'web-00', 'web-7']) await makePod(story, name);
      // Members, but without a place in a set of none.
      await podGone(story, 'web-00');
      await podGone(story, 'web-7');
      await fence(story);
      expect(ownerOf(await findPod(story, 'web-0-shadow'))).toBeUndefined();
      expect(ownerOf(await findPod(story, 'web-shadow-0'))).toBeUndefined();
    });

    test('a name may have more dashes: the last one counts', async () => {
      const set = statefulSet(story.namespace, { replicas: 0, podManagementPolicy: 'Parallel' });
      const metadata = { ...set.metadata, name: 'web-shadow' };
      await story.client.create(appsv1.statefulsets, { ...set, metadata });
      await makePod(story, 'web-0-shadow');
      await makePod(story, 'web-shadow-0');
      await podGone(story, 'web-shadow-0');
      await fence(story);
      expect(ownerOf(await findPod(story, 'web-0-shadow'))).toBeUndefined();
    });

    test('a pod is owned by uid: one that is another’s is neither adopted nor deleted', async () => {
      const ownerReferences = await foreignOwner(story);
      const pod = await makeReadyPod(story, 'web-0', { ownerReferences });
      await applySet(story, { replicas: 1 });
      await setWhere(story, ({ status }) => status?.observedGeneration === 1);
      await fence(story);
      const found = await findPod(story, 'web-0');
      expect(found?.metadata).toMatchObject({ uid: pod.metadata.uid, ownerReferences });
      expect((await setWhere(story, () => true)).status).toMatchObject({ replicas: 0 });
    });

    test('the API lets a pod have one controller, and no patch that names another uid pass', async () => {
      const [first] = await foreignOwner(story);
      const [second] = await foreignOwner(story);
      await makePod(story, 'web-0');
      await expect(
        patchPod(story, 'web-0', { metadata: { ownerReferences: [first, second] } }),
      ).rejects.toThrow('Only one reference can have Controller set to true');
      const uid = 'b7a1e9c2-0000-4000-8000-000000000002';
      await expect(patchPod(story, 'web-0', { metadata: { uid, ownerReferences: [first] } })).rejects.toThrow(
        `metadata.uid: Invalid value: "${uid}": field is immutable`,
      );
      expect((await findPod(story, 'web-0'))?.metadata.ownerReferences).toBeUndefined();
    });

    test('adoption needs the labels, the name, and a pod that stays', async () => {
      await makePod(story, 'web-0', { labels: { app: 'other' } });
      await makePod(story, 'other-0');
      await makePod(story, 'web-1', { finalizers: ['example.com/stay'] });
      await story.client.delete(corev1.pods, story.key('web-1'));
      const orphan = await makeReadyPod(story, 'web-2');
      const set = await applySet(story, { replicas: 3, podManagementPolicy: 'Parallel' });
      const adopted = await podWhere(story, 'web-2', (pod) => ownerOf(pod) !== undefined);
      expect(adopted.metadata).toMatchObject({
        uid: orphan.metadata.uid,
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'StatefulSet',
            name: 'web',
            uid: set.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      });
      await fence(story);
      for (const name of ['web-0', 'other-0', 'web-1'])
        expect(ownerOf(await findPod(story, name))).toBeUndefined();
      await patchPod(story, 'web-1', { metadata: { finalizers: null } });
    });

    test('a set that is being deleted adopts nothing', async () => {
      const set = await applySet(story, { replicas: 1 });
      await ready('web-0');
      await settled(story);
      const key = story.key('web');
      const body = { metadata: { finalizers: ['example.com/stay'] } };
      await story.client.patch(appsv1.statefulsets, key, { type: 'merge', body });
      await story.client.delete(appsv1.statefulsets, key, { propagationPolicy: 'Orphan' });
      await setWhere(story, ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await makePod(story, 'web-1');
      await fence(story);
      expect(ownerOf(await findPod(story, 'web-1'))).toBeUndefined();
      expect(ownerOf(await findPod(story, 'web-0'))).toBe(set.metadata.uid);
      await story.client.patch(appsv1.statefulsets, key, {
        type: 'merge',
        body: { metadata: { finalizers: null } },
      });
    });

    test('deleting an orphan wakes nobody; a change of a pod of its own wakes the set', async () => {
      await makePod(story, 'web-0-shadow');
      await applySet(story, { replicas: 1 });
      await ready('web-0');
      await settled(story);
      await fence(story);
      const [revision] = await revisionsOf(story);
      // Whether the set has looked since shows by whether it has taken this in.
      const stray = {
        apiVersion: 'apps/v1' as const,
        kind: 'ControllerRevision' as const,
        metadata: { name: 'stray', namespace: story.namespace, labels: { app: 'web' } },
        data: { spec: { stray: true } },
        revision: 0,
      };
      await story.client.create(appsv1.controllerrevisions, stray);
      await story.client.delete(corev1.pods, story.key('web-0-shadow'));
      await fence(story);
      const owners = async (): Promise<unknown> =>
        (await story.client.get(appsv1.controllerrevisions, story.key('stray'))).metadata.ownerReferences;
      expect(await owners()).toBeUndefined();
      await patchPod(story, 'web-0', { metadata: { annotations: { touched: 'yes' } } });
      await expect.poll(owners).toEqual(revision?.metadata.ownerReferences);
    });

    test('a pod whose labels no longer match is released; its name stays taken, and creating fails', async () => {
      await applySet(story, { replicas: 1 });
      await ready('web-0');
      await settled(story);
      await patchPod(story, 'web-0', { metadata: { labels: { app: null } } });
      const { metadata } = await podWhere(story, 'web-0', (pod) => ownerOf(pod) === undefined);
      await setWhere(story, ({ status }) => status?.replicas === 0);
      await fence(story);
      expect((await findPod(story, 'web-0'))?.metadata.uid).toBe(metadata.uid);
      // AlreadyExists is told to nobody: it is tried again.
      await expect
        .poll(() => story.events('StatefulSet'))
        .toEqual(['SuccessfulCreate: Create Pod web-0 in StatefulSet web successful']);
    });

    test('what failed is tried again without being woken', async () => {
      const ownerReferences = await foreignOwner(story);
      const pod = await makePod(story, 'web-0', { ownerReferences });
      await applySet(story, { replicas: 1 });
      await setWhere(story, ({ status }) => status?.observedGeneration === 1);
      await story.client.delete(corev1.pods, story.key('web-0'));
      const made = await podWhere(story, 'web-0', ({ metadata }) => metadata.uid !== pod.metadata.uid);
      expect(ownerOf(made)).toBe((await setWhere(story, () => true)).metadata.uid);
    });
  });

  test.each<[string, 'OrderedReady' | 'Parallel', readonly string[]]>([
    ['an ordered set stops', 'OrderedReady', ['web-0', 'web-1']],
    ['a parallel one makes the rest of its batch of 1, 2, 4, …', 'Parallel', ['web-0', 'web-1', 'web-2']],
  ])('where a pod cannot be made, %s', async (_, podManagementPolicy, names) => {
    await makePod(story, 'web-1', { ownerReferences: await foreignOwner(story) });
    await applySet(story, { replicas: 4, podManagementPolicy });
    for (const name of names) await podWhere(story, name, () => true);
    await ready('web-0');
    await setWhere(story, ({ status }) => status?.readyReplicas === 1);
    await fence(story);
    expect((await story.pods()).map(({ metadata }) => metadata.name)).toEqual(names);
  });

  describe('a pod outside of the range', () => {
    test('is adopted, and then deleted', async () => {
      await applySet(story, { replicas: 1, ordinals: { start: 2 } });
      await ready('web-2');
      await settled(story);
      for (const name of ['web-1', 'web-3']) {
        await makePod(story, name);
        await podGone(story, name);
      }
      await expect
        .poll(() => story.events('StatefulSet'))
        .toEqual([
          'SuccessfulCreate: Create Pod web-2 in StatefulSet web successful',
          'SuccessfulDelete: Delete Pod web-1 in StatefulSet web successful',
          'SuccessfulDelete: Delete Pod web-3 in StatefulSet web successful',
        ]);
    });

    test('is waited for by an ordered set when it is not ready, unless it is the lowest that is not', async () => {
      await applySet(story, { replicas: 3 });
      for (const name of ['web-0', 'web-1', 'web-2']) await ready(name);
      await settled(story);
      const unready = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
      for (const name of ['web-1', 'web-2'])
        await story.client.patch(
          corev1.pods,
          story.key(name),
          { type: 'merge', body: unready },
          { subresource: 'status' },
        );
      await setWhere(story, ({ status }) => status?.readyReplicas === 1);
      await applySet(story, { replicas: 1 });
      await setWhere(story, ({ status }) => status?.observedGeneration === 2);
      await fence(story);
      expect((await story.pods()).map(({ metadata }) => metadata.name)).toEqual(['web-0', 'web-1', 'web-2']);
      await ready('web-2');
      await podGone(story, 'web-2');
      await podGone(story, 'web-1');
    });
  });

  describe('taking a set’s place over', () => {
    test('a pod that is released while the set has no replicas is adopted and deleted', async () => {
      const ownerReferences = await foreignOwner(story);
      await applySet(story, { replicas: 0 });
      await setWhere(story, ({ status }) => status?.observedGeneration === 1);
      await makeReadyPod(story, 'web-0', { ownerReferences });
      await patchPod(story, 'web-0', { metadata: { ownerReferences: null } });
      await podGone(story, 'web-0');
    });

    test('a pod that is released after the set has been scaled up is adopted and stays', async () => {
      const ownerReferences = await foreignOwner(story);
      await applySet(story, { replicas: 0 });
      const { status } = await setWhere(story, (set) => set.status?.observedGeneration === 1);
      const labels = { 'controller-revision-hash': status?.updateRevision ?? '' };
      const { metadata } = await makeReadyPod(story, 'web-0', { labels, ownerReferences });
      await applySet(story, { replicas: 1 });
      await setWhere(story, (set) => set.status?.observedGeneration === 2);
      await patchPod(story, 'web-0', { metadata: { ownerReferences: null } });
      const set = await settled(story);
      const pod = await findPod(story, 'web-0');
      expect([pod?.metadata.uid, ownerOf(pod)]).toEqual([metadata.uid, set.metadata.uid]);
    });

    test('a released pod is replaced by one made at once, or by the set’s own, which then is released in turn', async () => {
      const set = await applySet(story, { replicas: 1 });
      await ready('web-0');
      const { status } = await settled(story);
      const labels = { 'controller-revision-hash': status?.updateRevision ?? '', app: 'web' };
      const takeOver = async (): Promise<string | undefined> => {
        await patchPod(story, 'web-0', { metadata: { labels: { app: null } } });
        const { metadata } = await podWhere(story, 'web-0', (pod) => ownerOf(pod) === undefined);
        const preconditions = { uid: metadata.uid ?? '' };
        await story.client.delete(corev1.pods, story.key('web-0'), { preconditions, gracePeriodSeconds: 0 });
        return makePod(story, 'web-0', { labels }).then(
          (pod) => pod.metadata.uid,
          () => undefined,
        );
      };
      let ours: string | undefined;
      while (ours === undefined) ours = await takeOver();
      await ready('web-0');
      await settled(story);
      const pod = await findPod(story, 'web-0');
      expect([pod?.metadata.uid, ownerOf(pod)]).toEqual([ours, set.metadata.uid]);
    });
  });
}
