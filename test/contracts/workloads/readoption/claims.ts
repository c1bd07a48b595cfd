import { type appsv1, corev1, type OwnerReference, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applySet, claimTemplate, settled } from '../stateful.ts';
import { Story } from '../story.ts';
import { fence, podGone } from './orphans.ts';

type Policy = appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy;

const volumeClaimTemplates = [claimTemplate('data')];

/** Whom the retention policy has own the claims. */
export function claims(transport: () => Transport): void {
  let story: Story;
  beforeEach(async () => {
    story = await Story.begin(transport());
  });
  afterEach(() => story.end());
  const apply = (
    replicas: number,
    persistentVolumeClaimRetentionPolicy: Policy,
  ): Promise<appsv1.StatefulSet> =>
    applySet(story, { replicas, volumeClaimTemplates, persistentVolumeClaimRetentionPolicy });
  /** Kinds of the owners of a claim, when they are these. */
  const owned = async (name: string, ...kinds: readonly string[]): Promise<readonly OwnerReference[]> => {
    const claim = await waitForObject(
      story.client,
      corev1.persistentvolumeclaims,
      story.key(name),
      (live) => {
        const owners = live?.metadata.ownerReferences?.map(({ kind }) => kind) ?? [];
        return live !== undefined && owners.join() === kinds.join();
      },
    );
    return claim?.metadata.ownerReferences ?? [];
  };

  describe('the retention policy', () => {
    test('has the set own claims that are to go with it, and releases them again', async () => {
      const set = await apply(1, { whenDeleted: 'Delete', whenScaled: 'Retain' });
      const { apiVersion, kind } = set;
      const reference = { apiVersion, kind, name: 'web', controller: true, blockOwnerDeletion: true };
      expect(await owned('data-web-0', 'StatefulSet')).toEqual([{ ...reference, uid: set.metadata.uid }]);
      await apply(1, { whenDeleted: 'Retain', whenScaled: 'Retain' });
      await owned('data-web-0');
    });

    test('has a pod that is scaled away own its claims', async () => {
      const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
      await apply(2, policy);
      await settled(story);
      await owned('data-web-1', 'StatefulSet');
      const finalizers = ['example.com/stay'];
      const hold = (held: readonly string[] | null): Promise<unknown> =>
        story.client.patch(corev1.pods, story.key('web-1'), {
          type: 'merge',
          body: { metadata: { finalizers: held } },
        });
      await hold(finalizers);
      await apply(1, policy);
      const [owner] = await owned('data-web-1', 'Pod');
      expect(owner).toMatchObject({ name: 'web-1', controller: true, blockOwnerDeletion: true });
      await hold(null);
      await podGone(story, 'web-1');
      // The collector of garbage does not run here: the claim stays, another pod's, and holds up the next web-1.
      await apply(2, policy);
      await fence(story);
      expect((await story.pods()).map(({ metadata }) => metadata.name)).toEqual(['web-0']);
    });

    test('keeps its hands off a claim of a set that had this name before', async () => {
      const uid = 'b7a1e9c2-0000-4000-8000-000000000000';
      const stale = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid };
      const { spec, ...claim } = claimTemplate('data-web-0');
      await story.client.create(corev1.persistentvolumeclaims, {
        ...claim,
        metadata: { name: 'data-web-0', namespace: story.namespace, ownerReferences: [stale] },
        spec,
      });
      await apply(2, { whenDeleted: 'Delete', whenScaled: 'Retain' });
      await settled(story);
      await owned('data-web-1', 'StatefulSet');
      await fence(story);
      expect(await owned('data-web-0', 'StatefulSet')).toEqual([stale]);
    });

    test('has no say about a claim that somebody else controls', async () => {
      const owner = await story.client.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'owner', namespace: story.namespace },
      });
      const { uid } = owner.metadata;
      const foreign = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true };
      const { spec, ...claim } = claimTemplate('data-web-0');
      await story.client.create(corev1.persistentvolumeclaims, {
        ...claim,
        metadata: { name: 'data-web-0', namespace: story.namespace, ownerReferences: [foreign] },
        spec,
      });
      await apply(1, { whenDeleted: 'Delete', whenScaled: 'Retain' });
      await settled(story);
      expect(await owned('data-web-0', 'ConfigMap')).toEqual([foreign]);
      await expect
        .poll(async () => (await story.events('StatefulSet')).map((text) => text.split(':')[0]))
        .toContain('ConflictingController');
    });
  });

  test('a claim that is being deleted holds up the pod that is to have it', async () => {
    const { spec, ...claim } = claimTemplate('data-web-0');
    await story.client.create(corev1.persistentvolumeclaims, {
      ...claim,
      metadata: { name: 'data-web-0', namespace: story.namespace, finalizers: ['example.com/stay'] },
      spec,
    });
    await story.client.delete(corev1.persistentvolumeclaims, story.key('data-web-0'));
    await applySet(story, { replicas: 1, volumeClaimTemplates });
    await expect
      .poll(() => story.events('StatefulSet'))
      .toEqual([
        'FailedCreate: Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted',
      ]);
    expect(await story.pods()).toEqual([]);
    await story.client.patch(corev1.persistentvolumeclaims, story.key('data-web-0'), {
      type: 'merge',
      body: { metadata: { finalizers: null } },
    });
    await settled(story);
  });
}
