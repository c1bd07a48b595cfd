import type { Nodes } from '@kubewright/cluster';
import { coordinationv1, corev1, type Transport } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { conditionsOf, isReady, NodeStory, statusOf } from './node-story.ts';

const LEASE = { namespace: 'kube-node-lease', name: 'node-1' };

function nodeLoss(transport: () => Transport, nodes: () => Nodes): void {
  let story: NodeStory;
  const renewTime = async (): Promise<string> =>
    (await story.client.get(coordinationv1.leases, LEASE)).spec.renewTime ?? '';
  beforeEach(async () => {
    story = await NodeStory.begin(transport());
  });

  test('a node renews its Lease, and writes nothing to a Node to which nothing happens', async () => {
    const node = await story.client.get(corev1.nodes, { name: 'node-1' });
    const first = await expect.poll(renewTime).not.toBe('').then(renewTime);
    await expect.poll(renewTime).not.toBe(first);
    expect((await story.client.get(corev1.nodes, { name: 'node-1' })).metadata.resourceVersion).toBe(
      node.metadata.resourceVersion,
    );
  });

  test('a node says again that it is ready when somebody said otherwise', async () => {
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }];
    const patch = { type: 'strategic', body: { status: { conditions } } } as const;
    await story.client.patch(corev1.nodes, { name: 'node-1' }, patch, { subresource: 'status' });
    await expect
      .poll(async () => {
        const { status } = await story.client.get(corev1.nodes, { name: 'node-1' });
        return status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
      })
      .toBe('KubeletReady');
  });

  test('a lost node is silent; when it is back it does what was left', async () => {
    await story.run('web', { nodeName: 'node-1' });
    await story.until('web', isReady);
    nodes().lose('node-1');
    await story.remove('web');
    await story.run('other', { nodeName: 'node-2' });
    await story.until('other', isReady);
    const pod = await story.client.get(corev1.pods, story.key('web'));
    expect(isReady(pod)).toBe(true);
    expect(pod.metadata.deletionTimestamp).toBeDefined();
    nodes().restore('node-1');
    await story.untilGone('web');
  });

  test('a pod that is made anew while its node is lost runs on another one, and goes on when the node is back', async () => {
    await story.run('web', { nodeName: 'node-1' });
    await story.until('web', isReady);
    nodes().lose('node-1');
    await story.client.delete(corev1.pods, story.key('web'), { gracePeriodSeconds: 0 });
    await story.run('web', { nodeName: 'node-2' });
    const { metadata } = await story.until('web', isReady);
    nodes().restore('node-1');
    await story.run('other', { nodeName: 'node-1' });
    await story.until('other', isReady);
    expect(await story.client.get(corev1.pods, story.key('web'))).toMatchObject({
      metadata: { uid: metadata.uid },
      status: { phase: 'Running' },
    });
  });

  test('the containers of a machine that starts again are restarted', async () => {
    await story.run('web', { nodeName: 'node-1' });
    await story.until('web', isReady);
    nodes().reboot('node-1');
    const pod = await story.until('web', (live) => statusOf(live)?.restartCount === 1 && isReady(live));
    expect(statusOf(pod)?.lastState?.terminated).toMatchObject({ exitCode: 137 });
  });

  test('a node that is low on memory makes a pod fail', async () => {
    await story.run('greedy', { nodeName: 'node-1' });
    await story.until('greedy', isReady);
    nodes().evict({ namespace: story.namespace, name: 'greedy' });
    const pod = await story.until('greedy', ({ status }) => status?.phase === 'Failed');
    expect(pod.status).toMatchObject({
      reason: 'Evicted',
      message: 'The node was low on resource: memory. ',
    });
    expect(conditionsOf(pod)).toContain('DisruptionTarget True TerminationByKubelet');
    expect(conditionsOf(pod)).toContain('Ready False PodFailed');
    await expect
      .poll(() => story.events('greedy'))
      .toContain('Evicted: The node was low on resource: memory. ');
  });

  test('a Node that somebody deletes stays away', async () => {
    await story.client.delete(corev1.nodes, { name: 'node-2' });
    await story.run('web', { nodeName: 'node-1' });
    await story.until('web', isReady);
    await expect(story.client.get(corev1.nodes, { name: 'node-2' })).rejects.toThrow('not found');
  });
}

const PARTS = { nodes: 2, leaseRenewMs: 1000 };
describeClusters('Nodes that come and go', { controllers: [], nodes: PARTS }, nodeLoss);
