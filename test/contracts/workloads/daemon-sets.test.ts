import assert from 'node:assert/strict';
import { appsv1, controllerOf, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import {
  addNode,
  applyDaemons,
  daemonsWhere,
  deployed,
  nodeName,
  patchNode,
  placesOf,
  reasons,
  targetOf,
  untilSeen,
} from './daemons.ts';
import { markReady } from './readiness.ts';
import { revisionsOf } from './stateful.ts';
import { Story } from './story.ts';

const HASH = 'controller-revision-hash';
const rolling = (maxUnavailable: number, maxSurge: number): appsv1.DaemonSetUpdateStrategy => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxUnavailable, maxSurge },
});

function daemonSets(transport: () => Transport): void {
  let story: Story;
  let woken = 0;
  const begin = async (nodes: number, isReady?: (pod: corev1.Pod) => boolean): Promise<void> => {
    story = await Story.begin(transport(), isReady);
    for (let index = 0; index < nodes; index++) await addNode(story, index);
  };
  afterEach(() => story.end());
  const isFirst = ({ spec }: corev1.Pod): boolean => spec.containers[0]?.image === 'agent:1';
  const setPhase = async (pod: corev1.Pod, phase: string): Promise<void> => {
    const key = story.key(pod.metadata.name ?? '');
    const patch = { type: 'merge', body: { status: { phase } } } as const;
    await story.client.patch(corev1.pods, key, patch, { subresource: 'status' });
  };
  const makeReady = async (image: string): Promise<void> => {
    for (const pod of await story.pods())
      if (pod.spec.containers[0]?.image === image)
        await markReady(story.client, story.key(pod.metadata.name ?? ''));
  };

  /**
   * Changes a node, and has the set looked at anew: pods that no scheduler has brought to their nodes do not tell of changes
   * there.
   */
  const changeNode = async (index: number, body: object): Promise<void> => {
    await patchNode(story, index, body);
    await untilSeen(story, index);
    const annotations = { metadata: { annotations: { woken: String(++woken) } } };
    await story.client.patch(appsv1.daemonsets, story.key('agent'), { type: 'merge', body: annotations });
  };

  test('each node gets a pod that tolerates what happens to nodes', async () => {
    await begin(2);
    const set = await applyDaemons(story);
    const { status } = await deployed(story, 2);
    expect(status).toEqual({
      observedGeneration: 1,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      numberAvailable: 2,
      updatedNumberScheduled: 2,
    });
    const [revision] = await revisionsOf(story);
    const hash = revision?.metadata.labels?.[HASH] ?? 'none';
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      name: 'agent',
      uid: set.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    expect(revision).toMatchObject({
      metadata: {
        name: `agent-${hash}`,
        labels: { app: 'agent', [HASH]: hash },
        annotations: { 'deprecated.daemonset.template.generation': '1' },
        ownerReferences: [owner],
      },
      data: { spec: { template: { $patch: 'replace', ...set.spec.template } } },
      revision: 1,
    });
    const pods = await story.pods();
    expect(await placesOf(story)).toEqual(['n0=agent:1', 'n1=agent:1']);
    expect(pods[0]?.metadata).toMatchObject({
      generateName: 'agent-',
      labels: { app: 'agent', [HASH]: hash, 'pod-template-generation': '1' },
      ownerReferences: [owner],
    });
    expect(pods[0]?.spec.tolerations?.map(({ key, operator, effect }) => [key, operator, effect])).toEqual([
      ['node.kubernetes.io/not-ready', 'Exists', 'NoExecute'],
      ['node.kubernetes.io/unreachable', 'Exists', 'NoExecute'],
      ['node.kubernetes.io/disk-pressure', 'Exists', 'NoSchedule'],
      ['node.kubernetes.io/memory-pressure', 'Exists', 'NoSchedule'],
      ['node.kubernetes.io/pid-pressure', 'Exists', 'NoSchedule'],
      ['node.kubernetes.io/unschedulable', 'Exists', 'NoSchedule'],
    ]);
    expect((await story.events('DaemonSet')).map((text) => text.slice(0, 35))).toEqual([
      'SuccessfulCreate: Created pod: agen',
      'SuccessfulCreate: Created pod: agen',
    ]);
  });

  test('nodes that come to be selected get a pod, those that no longer are lose it', async () => {
    await begin(2);
    const zones = (...values: readonly string[]) => ({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values }] }],
          },
        },
      },
    });
    await applyDaemons(story, { spec: zones('a') });
    await daemonsWhere(story, ({ observedGeneration }) => observedGeneration === 1);
    expect(await placesOf(story)).toEqual([]);
    await patchNode(story, 1, { metadata: { labels: { zone: 'a' } } });
    await deployed(story, 1);
    expect(await placesOf(story)).toEqual(['n1=agent:1']);
    await patchNode(story, 0, { metadata: { labels: { zone: 'a' } } });
    await deployed(story, 2);
    await changeNode(1, { metadata: { labels: { zone: 'b' } } });
    await deployed(story, 1);
    expect(await placesOf(story)).toEqual(['n0=agent:1']);
  });

  test('a taint keeps new pods away, or drives those that are there out', async () => {
    await begin(2);
    await applyDaemons(story);
    await deployed(story, 2);
    const taint = (effect: string) => ({ spec: { taints: [{ key: 'dedicated', value: 'x', effect }] } });
    await changeNode(0, taint('NoSchedule'));
    await daemonsWhere(
      story,
      (status) => status.numberMisscheduled === 1 && status.desiredNumberScheduled === 1,
    );
    expect(await placesOf(story)).toEqual(['n0=agent:1', 'n1=agent:1']);
    await changeNode(0, taint('NoExecute'));
    await daemonsWhere(story, (status) => status.numberMisscheduled === 0);
    expect(await placesOf(story)).toEqual(['n1=agent:1']);
    const tolerations = [{ key: 'dedicated', operator: 'Exists' as const }];
    await applyDaemons(story, { spec: { tolerations } });
    await deployed(story, 2);
    expect(await placesOf(story)).toEqual(['n0=agent:1', 'n1=agent:1']);
  });

  test('an update goes as far as unavailability allows', async () => {
    await begin(3, isFirst);
    const updateStrategy = rolling(1, 0);
    await applyDaemons(story, { updateStrategy });
    await deployed(story, 3);
    await applyDaemons(story, { updateStrategy, image: 'agent:2' });
    await daemonsWhere(
      story,
      (status) => status.updatedNumberScheduled === 1 && status.numberUnavailable === 1,
    );
    expect((await placesOf(story)).filter((place) => place.endsWith('2'))).toHaveLength(1);
    for (const updated of [2, 3]) {
      await makeReady('agent:2');
      await daemonsWhere(story, (status) => status.updatedNumberScheduled === updated);
    }
    await makeReady('agent:2');
    await deployed(story, 3);
    expect(await placesOf(story)).toEqual(['n0=agent:2', 'n1=agent:2', 'n2=agent:2']);
  });

  test('with surge a new pod comes beside the old one, which goes when the new one is available', async () => {
    await begin(2, isFirst);
    const updateStrategy = rolling(0, 1);
    await applyDaemons(story, { updateStrategy });
    await deployed(story, 2);
    await applyDaemons(story, { updateStrategy, image: 'agent:2' });
    await expect.poll(async () => (await placesOf(story)).length).toBe(3);
    expect((await placesOf(story)).filter((place) => place.endsWith('1'))).toHaveLength(2);
    await makeReady('agent:2');
    await expect
      .poll(async () => (await placesOf(story)).filter((place) => place.endsWith('2')).length)
      .toBe(2);
    await makeReady('agent:2');
    await deployed(story, 2);
    await expect.poll(() => placesOf(story)).toEqual(['n0=agent:2', 'n1=agent:2']);
  });

  test('a set that updates on deletion only waits for it', async () => {
    await begin(2);
    const updateStrategy = { type: 'OnDelete' } as const;
    await applyDaemons(story, { updateStrategy });
    await deployed(story, 2);
    await applyDaemons(story, { updateStrategy, image: 'agent:2' });
    await daemonsWhere(story, (status) => status.observedGeneration === 2 && status.numberReady === 2);
    const old = (await story.pods()).find((pod) => targetOf(pod) === nodeName(story, 0));
    if (old !== undefined) await story.remove(old);
    await daemonsWhere(
      story,
      (status) => status.updatedNumberScheduled === 1 && status.numberAvailable === 2,
    );
    expect(await placesOf(story)).toEqual(['n0=agent:2', 'n1=agent:1']);
  });

  test('going back brings the old revision back as the newest, and the history has a limit', async () => {
    await begin(1);
    for (const version of [1, 2, 3, 4, 3]) {
      await applyDaemons(story, { revisionHistoryLimit: 1, image: `agent:${version}` });
      await deployed(story, 1);
    }
    const history = async (): Promise<unknown> =>
      (await revisionsOf(story)).map(({ revision, data }) => [
        revision,
        JSON.stringify(data).match(/agent:\d/)?.[0],
      ]);
    await expect.poll(history).toEqual([
      [4, 'agent:4'],
      [5, 'agent:3'],
    ]);
  });

  test('pods that fail or succeed are replaced, and that is told', async () => {
    await begin(1, ({ status }) => status?.phase === 'Pending');
    await applyDaemons(story);
    await deployed(story, 1);
    for (const phase of ['Failed', 'Succeeded']) {
      const [pod] = await story.pods();
      assert(pod !== undefined, 'there is no pod');
      await setPhase(pod, phase);
      await waitForObject(
        story.client,
        corev1.pods,
        story.key(pod.metadata.name ?? ''),
        (live) => live === undefined,
      );
      await expect.poll(async () => (await story.pods()).length).toBe(1);
    }
    await expect
      .poll(() => reasons(story))
      .toEqual(['FailedDaemonPod', 'SucceededDaemonPod', 'SuccessfulCreate', 'SuccessfulDelete']);
    const node = nodeName(story, 0);
    const texts = (await story.events('DaemonSet')).map((text) => text.replace(/agent-\w+/, 'NAME'));
    expect(texts).toContain(
      `FailedDaemonPod: Found failed daemon pod ${story.namespace}/NAME on node ${node}, will try to kill it`,
    );
    expect(texts).toContain(
      `SucceededDaemonPod: Found succeeded daemon pod ${story.namespace}/NAME on node ${node}, will try to delete it`,
    );
  });

  test('a pod is released and replaced when its labels change, and of two on a node the younger goes', async () => {
    await begin(1);
    await applyDaemons(story);
    await deployed(story, 1);
    const [elder] = await story.pods();
    const key = story.key(elder?.metadata.name ?? '');
    const label = (app: string | null): Promise<unknown> =>
      story.client.patch(corev1.pods, key, { type: 'merge', body: { metadata: { labels: { app } } } });
    await label(null);
    await waitForObject(
      story.client,
      corev1.pods,
      key,
      (pod) => pod !== undefined && controllerOf(pod) === undefined,
    );
    await expect.poll(async () => (await story.pods()).length).toBe(2);
    const age = ({ metadata }: corev1.Pod): string => `${metadata.creationTimestamp} ${metadata.name}`;
    const [first = ''] = (await story.pods()).map(age).sort();
    await label('agent');
    await expect.poll(async () => (await story.pods()).map(age)).toEqual([first]);
    await deployed(story, 1);
  });

  test('a pod counts as available when it has been ready for long enough', async () => {
    await begin(1);
    await applyDaemons(story, { minReadySeconds: 2 });
    await daemonsWhere(story, (status) => status.numberReady === 1 && status.numberUnavailable === 1);
    await deployed(story, 1);
  });
}

describeClusters('DaemonSets', ['daemonset-controller'], daemonSets);
