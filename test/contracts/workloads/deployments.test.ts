import { appsv1, compareText, controllerOf, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { Story } from './story.ts';

const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
] as const;
const REVISION = 'deployment.kubernetes.io/revision';

const rolling = (maxSurge: number, maxUnavailable: number): appsv1.DeploymentStrategy => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});

function deployments(transport: () => Transport): void {
  let story: Story;
  const begin = async (isReady?: (pod: corev1.Pod) => boolean): Promise<void> => {
    story = await Story.begin(transport(), isReady);
  };
  afterEach(() => story.end());
  const sizes = async (): Promise<readonly (number | undefined)[]> =>
    (await story.replicaSets()).map(({ spec }) => spec.replicas);
  const conditions = ({
    status,
  }: {
    readonly status?: { readonly conditions?: readonly { type: string; status: string; reason?: string }[] };
  }) =>
    (status?.conditions ?? [])
      .map(({ type, status: holds, reason }) => [type, holds, reason])
      .sort(([a = ''], [b = '']) => compareText(a, b));

  test('a new Deployment gets a ReplicaSet and its pods', async () => {
    await begin();
    await story.deploy({ replicas: 3, minReadySeconds: 0 });
    const deployment = await story.rolledOut();
    const [replicaSet] = await story.replicaSets();
    const hash = replicaSet?.metadata.labels?.['pod-template-hash'] ?? 'none';
    expect(deployment.metadata.annotations).toEqual({ [REVISION]: '1' });
    expect(deployment.status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(deployment.status).toMatchObject({ terminatingReplicas: 0 });
    expect(conditions(deployment)).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ]);
    expect(replicaSet?.metadata).toMatchObject({
      name: `web-${hash}`,
      labels: { app: 'web', 'pod-template-hash': hash },
      annotations: {
        [REVISION]: '1',
        'deployment.kubernetes.io/desired-replicas': '3',
        'deployment.kubernetes.io/max-replicas': '4',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'web',
          uid: deployment.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(replicaSet?.spec.selector).toEqual({ matchLabels: { app: 'web', 'pod-template-hash': hash } });
    for (const pod of await story.pods()) {
      expect(pod.metadata).toMatchObject({
        generateName: `web-${hash}-`,
        labels: { app: 'web', 'pod-template-hash': hash },
      });
      expect(controllerOf(pod)?.uid).toBe(replicaSet?.metadata.uid);
    }
    await expect
      .poll(() => story.events('Deployment'))
      .toEqual(['ScalingReplicaSet: Scaled up replica set R1 from 0 to 3']);
  });

  test('a new template rolls out within surge and unavailability, and back as a new revision', async () => {
    await begin();
    const strategy = rolling(1, 0);
    await story.deploy({ replicas: 2, strategy });
    await story.rolledOut();
    await story.deploy({ replicas: 2, strategy }, 'web:2');
    await story.rolledOut();
    expect(await sizes()).toEqual([0, 2]);
    await expect
      .poll(() => story.events('Deployment'))
      .toEqual([
        'ScalingReplicaSet: Scaled down replica set R1 from 1 to 0',
        'ScalingReplicaSet: Scaled down replica set R1 from 2 to 1',
        'ScalingReplicaSet: Scaled up replica set R1 from 0 to 2',
        'ScalingReplicaSet: Scaled up replica set R2 from 0 to 1',
        'ScalingReplicaSet: Scaled up replica set R2 from 1 to 2',
      ]);
    await story.deploy({ replicas: 2, strategy });
    const deployment = await story.rolledOut();
    expect(deployment.metadata.annotations?.[REVISION]).toBe('3');
    const annotations = (await story.replicaSets()).map(({ metadata }) => metadata.annotations);
    expect(annotations.map((one) => one?.[REVISION])).toEqual(['2', '3']);
    expect(annotations[1]?.['deployment.kubernetes.io/revision-history']).toBe('1');
    expect(await sizes()).toEqual([0, 2]);
  });

  test('a rollout that gets stuck says so when its deadline is over', async () => {
    await begin((pod) => pod.spec.containers[0]?.image === 'web:1');
    await story.deploy({ replicas: 2, progressDeadlineSeconds: 2 });
    await story.rolledOut();
    await story.deploy({ replicas: 2, progressDeadlineSeconds: 2 }, 'web:2');
    const stuck = await story.deployment(({ status }) =>
      (status?.conditions ?? []).some(({ reason }) => reason === 'ProgressDeadlineExceeded'),
    );
    expect(conditions(stuck)).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'False', 'ProgressDeadlineExceeded'],
    ]);
    expect(stuck.status).toMatchObject({
      replicas: 3,
      updatedReplicas: 1,
      availableReplicas: 2,
      unavailableReplicas: 1,
    });
    expect(await sizes()).toEqual([2, 1]);
  });

  test('scaling in the middle of a rollout gives each revision its share', async () => {
    await begin((pod) => pod.spec.containers[0]?.image === 'web:1');
    const strategy = rolling(3, 2);
    await story.deploy({ replicas: 10, strategy });
    await story.rolledOut();
    await story.deploy({ replicas: 10, strategy }, 'web:2');
    await story.deployment(({ status }) => status?.updatedReplicas === 5 && status.replicas === 13);
    await story.deploy({ replicas: 15, strategy }, 'web:2');
    await story.deployment(({ status }) => status?.replicas === 18);
    expect(await sizes()).toEqual([11, 7]);
  });

  test('Recreate takes all old pods away first', async () => {
    await begin();
    await story.deploy({ replicas: 2, strategy: { type: 'Recreate' } });
    await story.rolledOut();
    await story.deploy({ replicas: 2, strategy: { type: 'Recreate' } }, 'web:2');
    await story.rolledOut();
    expect(await sizes()).toEqual([0, 2]);
    await expect
      .poll(() => story.events('Deployment'))
      .toEqual([
        'ScalingReplicaSet: Scaled down replica set R1 from 2 to 0',
        'ScalingReplicaSet: Scaled up replica set R1 from 0 to 2',
        'ScalingReplicaSet: Scaled up replica set R2 from 0 to 2',
      ]);
  });

  test('a paused Deployment is scaled, and rolls out when it is resumed', async () => {
    await begin();
    await story.deploy({ replicas: 1 });
    await story.rolledOut();
    await story.deploy({ replicas: 2, paused: true }, 'web:2');
    const paused = await story.deployment(({ status }) => status?.availableReplicas === 2);
    expect(conditions(paused)).toContainEqual(['Progressing', 'Unknown', 'DeploymentPaused']);
    expect(await sizes()).toEqual([2]);
    await story.deploy({ replicas: 2, paused: false }, 'web:2');
    await story.rolledOut();
    expect(await sizes()).toEqual([0, 2]);
  });

  test('old ReplicaSets are kept as the history limit says', async () => {
    await begin();
    for (const version of [1, 2, 3, 4]) {
      await story.deploy({ replicas: 1, revisionHistoryLimit: 1 }, `web:${version}`);
      await story.rolledOut();
    }
    await expect
      .poll(async () => (await story.replicaSets()).map(({ metadata }) => metadata.annotations?.[REVISION]))
      .toEqual(['3', '4']);
  });

  test('annotations are handed down, kubectl’s own are not', async () => {
    await begin();
    await story.deploy({ replicas: 1 });
    await story.rolledOut();
    const annotations = { team: 'blue', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    const { client } = story;
    await client.patch(appsv1.deployments, story.key('web'), {
      type: 'merge',
      body: { metadata: { annotations } },
    });
    await expect
      .poll(async () => (await story.replicaSets())[0]?.metadata.annotations?.['team'])
      .toBe('blue');
    const [replicaSet] = await story.replicaSets();
    expect(Object.keys(replicaSet?.metadata.annotations ?? {}).sort()).toEqual([
      'deployment.kubernetes.io/desired-replicas',
      'deployment.kubernetes.io/max-replicas',
      REVISION,
      'team',
    ]);
  });

  test('the pod that is cheapest to delete goes first', async () => {
    await begin();
    await story.deploy({ replicas: 3 });
    await story.rolledOut();
    const [cheap] = await story.pods();
    const name = cheap?.metadata.name ?? '';
    const annotations = { 'controller.kubernetes.io/pod-deletion-cost': '-5' };
    await story.client.patch(corev1.pods, story.key(name), {
      type: 'merge',
      body: { metadata: { annotations } },
    });
    await story.deploy({ replicas: 2 });
    await story.rolledOut();
    expect((await story.pods()).map(({ metadata }) => metadata.name)).not.toContain(name);
  });

  test('a pod whose labels no longer match is released and replaced; one that matches again is adopted', async () => {
    await begin();
    await story.deploy({ replicas: 2 });
    await story.rolledOut();
    const [freed] = await story.pods();
    const key = story.key(freed?.metadata.name ?? '');
    await story.client.patch(corev1.pods, key, {
      type: 'merge',
      body: { metadata: { labels: { app: 'other' } } },
    });
    await waitForObject(
      story.client,
      corev1.pods,
      key,
      (pod) => pod !== undefined && controllerOf(pod) === undefined,
    );
    await expect.poll(async () => (await story.pods()).length).toBe(3);
    await story.client.patch(corev1.pods, key, {
      type: 'merge',
      body: { metadata: { labels: { app: 'web' } } },
    });
    await waitForObject(
      story.client,
      corev1.pods,
      key,
      (pod) => pod === undefined || controllerOf(pod) !== undefined,
    );
    await expect.poll(async () => (await story.pods()).length).toBe(2);
  });
}

describeClusters('Deployments', CONTROLLERS, deployments);
