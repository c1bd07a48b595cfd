import { type Client, createClient } from '@kubewright/client';
import { corev1, type Transport } from '@kubewright/kube';
import type { Nodes } from '@kubewright/cluster';
import { beforeAll, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';

const PATIENCE = { timeout: 30_000 };

function nodeLifecycle(transport: () => Transport, nodes: () => Nodes): void {
  let client: Client;
  beforeAll(() => {
    client = createClient(transport());
  });

  const taints = async (name: string): Promise<readonly string[]> => {
    const { spec } = await client.get(corev1.nodes, { name });
    return (spec.taints ?? [])
      .map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`)
      .sort();
  };
  const conditions = async (name: string): Promise<readonly unknown[]> => {
    const { status } = await client.get(corev1.nodes, { name });
    return (status?.conditions ?? []).map(({ type, status: state, reason, message }) => [
      type,
      state,
      reason,
      message,
    ]);
  };
  const events = async (kind: string, name: string): Promise<readonly string[]> => {
    const { items } = await client.list(corev1.events);
    const about = items.filter(({ involvedObject: { kind: is, name: who } }) => is === kind && who === name);
    return [...new Set(about.map(({ type, reason, message }) => `${type} ${reason}: ${message}`))].sort();
  };

  test('a node that says that it is ready loses the taint that it was made with', async () => {
    await expect.poll(() => taints('node-1'), PATIENCE).toEqual([]);
    await expect
      .poll(() => events('Node', 'node-1'), PATIENCE)
      .toContain('Normal RegisteredNode: Node node-1 event: Registered Node node-1 in Controller');
  });

  test('a cordoned node has a taint, for as long as it is cordoned', async () => {
    const cordon = (unschedulable: boolean) =>
      client.patch(corev1.nodes, { name: 'node-1' }, { type: 'merge', body: { spec: { unschedulable } } });
    await cordon(true);
    await expect.poll(() => taints('node-1'), PATIENCE).toEqual(['unschedulable:NoSchedule']);
    await cordon(false);
    await expect.poll(() => taints('node-1'), PATIENCE).toEqual([]);
  });

  test('conditions become taints, and labels of old follow those of now', async () => {
    const name = 'by-hand';
    await client.create(corev1.nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } },
      spec: {},
    });
    const say = (states: Readonly<Record<string, string>>): Promise<unknown> => {
      const all = Object.entries(states).map(([type, status]) => ({ type, status }));
      const body = { status: { conditions: all } };
      return client.patch(corev1.nodes, { name }, { type: 'merge', body }, { subresource: 'status' });
    };
    await say({
      Ready: 'True',
      MemoryPressure: 'True',
      DiskPressure: 'True',
      PIDPressure: 'True',
      NetworkUnavailable: 'True',
    });
    await expect
      .poll(() => taints(name), PATIENCE)
      .toEqual([
        'disk-pressure:NoSchedule',
        'memory-pressure:NoSchedule',
        'network-unavailable:NoSchedule',
        'pid-pressure:NoSchedule',
      ]);
    const { metadata } = await client.get(corev1.nodes, { name });
    expect(metadata.labels).toMatchObject({
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'amd64',
    });
    await say({ Ready: 'False', MemoryPressure: 'False' });
    await expect.poll(() => taints(name), PATIENCE).toEqual(['not-ready:NoExecute', 'not-ready:NoSchedule']);
    await say({ Ready: 'Unknown' });
    await expect
      .poll(() => taints(name), PATIENCE)
      .toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    await say({ Ready: 'True' });
    await expect.poll(() => taints(name), PATIENCE).toEqual([]);
    await client.delete(corev1.nodes, { name });
    await expect
      .poll(() => events('Node', name), PATIENCE)
      .toContain('Normal RemovingNode: Node by-hand event: Removing Node by-hand from Controller');
  });

  test('nothing is known of a node that is silent, nor of its pods, until it is back', async () => {
    const key = { namespace: 'default', name: 'alone' };
    await client.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: key,
      spec: {
        nodeName: 'node-2',
        containers: [{ name: 'a', image: 'a' }],
        tolerations: [{ operator: 'Exists' }],
      },
    });
    const ready = async (): Promise<unknown> =>
      (await client.get(corev1.pods, key)).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    await expect.poll(ready, PATIENCE).toBe('True');
    nodes().lose('node-2');
    await expect
      .poll(() => taints('node-2'), PATIENCE)
      .toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    const silent = ['NodeStatusUnknown', 'Kubelet stopped posting node status.'];
    expect(await conditions('node-2')).toEqual(
      ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => [type, 'Unknown', ...silent]),
    );
    await expect.poll(ready, PATIENCE).toBe('False');
    await expect
      .poll(() => events('Node', 'node-2'), PATIENCE)
      .toContain('Normal NodeNotReady: Node node-2 status is now: NodeNotReady');
    await expect
      .poll(() => events('Pod', 'alone'), PATIENCE)
      .toContain('Warning NodeNotReady: Node is not ready');
    expect(await taints('node-1')).toEqual([]);
    nodes().restore('node-2');
    await expect.poll(() => taints('node-2'), PATIENCE).toEqual([]);
    await expect.poll(ready, PATIENCE).toBe('True');
  });

  test('when no node can be heard, none is emptied', async () => {
    for (const name of nodes().names) nodes().lose(name);
    for (const name of nodes().names)
      await expect.poll(() => taints(name), PATIENCE).toEqual(['unreachable:NoSchedule']);
    for (const name of nodes().names) nodes().restore(name);
    for (const name of nodes().names) await expect.poll(() => taints(name), PATIENCE).toEqual([]);
  });
}

describeClusters(
  'nodes',
  {
    controllers: ['node-lifecycle-controller'],
    nodes: { nodes: 2, leaseRenewMs: 500, statusMs: 2000 },
    nodeGraceMs: 3000,
  },
  nodeLifecycle,
);
