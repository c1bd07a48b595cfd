import { coordinationv1, corev1, type Transport } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { conditionsOf, isReady, NodeStory, statusOf } from './node-story.ts';

function podLife(transport: () => Transport): void {
  let story: NodeStory;
  beforeEach(async () => {
    story = await NodeStory.begin(transport());
  });

  test('a node registers itself, and its Lease is owned by it', async () => {
    const node = await story.client.get(corev1.nodes, { name: 'node-1' });
    expect(node.metadata.labels).toMatchObject({
      'kubernetes.io/hostname': 'node-1',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    });
    expect(node.status?.allocatable).toMatchObject({ cpu: '8', memory: '32Gi', pods: '110' });
    expect(node.status?.conditions?.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['MemoryPressure', 'False', 'KubeletHasSufficientMemory'],
      ['DiskPressure', 'False', 'KubeletHasNoDiskPressure'],
      ['PIDPressure', 'False', 'KubeletHasSufficientPID'],
      ['Ready', 'True', 'KubeletReady'],
    ]);
    const lease = await expect
      .poll(() => story.client.get(coordinationv1.leases, { namespace: 'kube-node-lease', name: 'node-1' }))
      .toMatchObject({ spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40 } })
      .then(() => story.client.get(coordinationv1.leases, { namespace: 'kube-node-lease', name: 'node-1' }));
    expect(lease.metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: node.metadata.uid },
    ]);
  });

  test('a pod that is bound runs and is ready', async () => {
    await story.run('web');
    const pod = await story.until('web', isReady);
    expect(conditionsOf(pod)).toEqual([
      'ContainersReady True',
      'Initialized True',
      'PodReadyToStartContainers True',
      'PodScheduled True',
      'Ready True',
    ]);
    expect(pod.status).toMatchObject({ phase: 'Running', observedGeneration: 1, qosClass: 'BestEffort' });
    expect(pod.status?.podIPs).toEqual([{ ip: pod.status?.podIP }]);
    expect(pod.status?.hostIPs).toEqual([{ ip: pod.status?.hostIP }]);
    expect(statusOf(pod)).toMatchObject({
      ready: true,
      started: true,
      restartCount: 0,
      image: 'web:1',
      lastState: {},
    });
    expect(statusOf(pod)?.state?.running?.startedAt).toBeDefined();
    expect(statusOf(pod)?.containerID).toMatch(/^simulated:\/\/[0-9a-f]{64}$/);
    await expect
      .poll(() => story.events('web'))
      .toEqual([
        'Pulled: Container image "web:1" already present on machine and can be accessed by the pod',
        'Created: Container created',
        'Started: Container started',
      ]);
  });

  test('a deleted pod ends its containers, says so, and goes', async () => {
    await story.run('web');
    await story.until('web', isReady);
    const history = story.history('web', (pod) => pod === undefined);
    await story.remove('web');
    const last = (await history).at(-1);
    expect(last?.status?.phase).toBe('Succeeded');
    expect(last && statusOf(last)?.state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(last && conditionsOf(last)).toEqual([
      'ContainersReady False PodCompleted',
      'Initialized True PodCompleted',
      'PodReadyToStartContainers False',
      'PodScheduled True',
      'Ready False PodCompleted',
    ]);
    await story.untilGone('web');
    await expect.poll(() => story.events('web')).toContain('Killing: Stopping container main');
  });

  test('a container that does not end in time is killed', async () => {
    await story.run('slow', { terminationGracePeriodSeconds: 1 }, { stop: '1h' });
    await story.until('slow', isReady);
    const history = story.history('slow', (pod) => pod === undefined);
    await story.remove('slow');
    const last = (await history).at(-1);
    expect(last && statusOf(last)?.state?.terminated).toMatchObject({ exitCode: 137, reason: 'Error' });
    expect(last?.status?.phase).toBe('Failed');
  });
}

describeClusters('Pods on simulated nodes', { controllers: [], nodes: 2 }, podLife);
