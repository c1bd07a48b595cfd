import { appsv1, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Story } from '../story.ts';
import { findPod, foreignOwner, makePod, ownerOf, patchPod, podGone, podWhere } from './orphans.ts';

const COST = 'controller.kubernetes.io/pod-deletion-cost';
const HASH = 'pod-template-hash';

type Looks = {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly cost?: string;
  readonly since?: string;
};

/** Whom a ReplicaSet takes in, and whom it gives up. */
export function replicaSets(transport: () => Transport): void {
  let story: Story;
  beforeEach(async () => {
    story = await Story.begin(transport(), () => false);
  });
  afterEach(() => story.end());
  /** A pod nobody selects yet, which looks like this. */
  const prepare = async (
    name: string,
    { node = 'n', phase = 'Running', ready = true, cost, since = '2026-01-01T00:00:00Z' }: Looks,
  ): Promise<void> => {
    const annotations = cost === undefined ? {} : { [COST]: cost };
    const spec = node === '' ? {} : { nodeName: node };
    await makePod(story, name, { labels: {}, annotations, spec });
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }];
    const body = { status: { phase, conditions } };
    await story.client.patch(
      corev1.pods,
      story.key(name),
      { type: 'merge', body },
      { subresource: 'status' },
    );
  };

  describe('scaling down', () => {
    const replicaSet = (
      replicas: number,
      owned: Pick<appsv1.ReplicaSet['metadata'], 'ownerReferences'> = {},
    ): Promise<appsv1.ReplicaSet> => {
      const labels = { app: 'web' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
      return story.client.apply(
        appsv1.replicasets,
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          metadata: { name: 'web', namespace: story.namespace, ...owned },
          spec: { replicas, selector: { matchLabels: labels }, template },
        },
        { fieldManager: 'test', force: true },
      );
    };
    const CASES: readonly (readonly [string, Looks, Looks])[] = [
      ['that has no node', { node: '', cost: '9' }, { phase: 'Pending', ready: false, cost: '-9' }],
      ['that is pending', { phase: 'Pending', ready: false, cost: '9' }, { ready: false, cost: '-9' }],
      ['whose state is unknown', { phase: 'Unknown', cost: '9' }, { ready: false, cost: '-9' }],
      ['that is not ready', { ready: false, cost: '9' }, { cost: '-9' }],
      ['that is cheaper to delete', { cost: '-1', since: '2020-01-01T00:00:00Z' }, {}],
      ['that is ready since later', { since: '2026-01-01T00:00:00Z' }, { since: '2020-01-01T00:00:00Z' }],
    ];
    test.each(CASES)('takes the pod %s', async (_, victim, survivor) => {
      await prepare('victim', victim);
      await prepare('survivor', survivor);
      for (const name of ['victim', 'survivor'])
        await patchPod(story, name, { metadata: { labels: { app: 'web' } } });
      const { metadata } = await replicaSet(2);
      for (const name of ['victim', 'survivor'])
        await podWhere(story, name, (pod) => ownerOf(pod) === metadata.uid);
      await replicaSet(1);
      const isLeaving = (pod?: corev1.Pod): boolean =>
        pod === undefined || pod.metadata.deletionTimestamp !== undefined;
      await waitForObject(story.client, corev1.pods, story.key('victim'), isLeaving);
      expect(isLeaving(await findPod(story, 'survivor'))).toBe(false);
    });

    test('takes one of two pods on a node before one that is alone, however long it has been ready', async () => {
      // Only pods of ReplicaSets with an owner count as neighbours.
      const owned = { ownerReferences: await foreignOwner(story) };
      const long = '2020-01-01T00:00:00Z';
      await prepare('first', { node: 'shared', since: long });
      await prepare('second', { node: 'shared', since: long });
      await prepare('alone', { node: 'own' });
      const names = ['first', 'second', 'alone'];
      for (const name of names) await patchPod(story, name, { metadata: { labels: { app: 'web' } } });
      const { metadata } = await replicaSet(3, owned);
      for (const name of names) await podWhere(story, name, (pod) => ownerOf(pod) === metadata.uid);
      await replicaSet(2, owned);
      await expect.poll(async () => (await story.pods()).length).toBe(2);
      expect((await story.pods()).map((pod) => pod.metadata.name)).toContain('alone');
    });
  });

  test('a Deployment hands over to a shadow that its ReplicaSet adopts, without a blank pod or a new template', async () => {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    await story.client.create(appsv1.deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: story.namespace },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    await expect.poll(async () => (await story.pods()).length).toBe(1);
    const [source] = await story.pods();
    const name = source?.metadata.name ?? '';
    await patchPod(story, name, { metadata: { annotations: { [COST]: '-100' } } });
    await prepare('web-shadow', { node: '' });
    // Ready as the shadow: what is not ready goes first, whatever it costs.
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] };
    await story.client.patch(
      corev1.pods,
      story.key(name),
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    await expect.poll(async () => (await story.replicaSets())[0]?.status?.readyReplicas).toBe(1);
    await patchPod(story, 'web-shadow', { metadata: { labels: source?.metadata.labels ?? {} } });
    await podGone(story, name);
    const shadow = await podWhere(story, 'web-shadow', (pod) => ownerOf(pod) !== undefined);
    const [replicaSet, ...others] = await story.replicaSets();
    expect(ownerOf(shadow)).toBe(replicaSet?.metadata.uid);
    expect(shadow.metadata.labels?.[HASH]).toBe(replicaSet?.metadata.labels?.[HASH]);
    expect(others).toEqual([]);
    expect((await story.pods()).map(({ metadata }) => metadata.name)).toEqual(['web-shadow']);
    const reasons = async () => (await story.events('ReplicaSet')).map((text) => text.split(':')[0]);
    await expect.poll(reasons).toEqual(['SuccessfulCreate', 'SuccessfulDelete']);
    const { metadata } = await story.client.get(appsv1.deployments, story.key('web'));
    expect(metadata.generation).toBe(1);
  });
}
