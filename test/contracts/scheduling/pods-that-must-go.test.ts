import { type Client, createClient, ignoreNotFound } from '@kubewright/client';
import { corev1, type Transport } from '@kubewright/kube';
import { beforeAll, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';

const PATIENCE = { timeout: 20_000 };
/** kube-controller-manager looks for pods to collect every 20 seconds, and believes that a node is gone after 40. */
const MORE_PATIENCE = { timeout: 100_000 };

function podsThatMustGo(transport: () => Transport): void {
  let client: Client;
  beforeAll(() => {
    client = createClient(transport());
  });
  const key = (name: string) => ({ namespace: 'default', name });

  async function pod(name: string, spec: Partial<corev1.PodSpec>, metadata = {}): Promise<void> {
    await client.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...key(name), ...metadata },
      spec: { containers: [{ name: 'a', image: 'a' }], ...spec },
    });
  }
  /** As long as nobody who runs it lets it go, a pod that is deleted can be looked at. */
  const state = async (name: string): Promise<unknown> => {
    const found = await ignoreNotFound(client.get(corev1.pods, key(name)));
    if (found === undefined) return 'gone';
    const { metadata, status } = found;
    const target = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
    return {
      ending: metadata.deletionTimestamp !== undefined,
      phase: status?.phase,
      target: target === undefined ? undefined : [target.status, target.reason, target.message],
    };
  };
  const events = async (name: string): Promise<readonly string[]> => {
    const { items } = await client.list(corev1.events, { namespace: 'default' });
    const about = items.filter(({ involvedObject }) => involvedObject.name === name);
    return about.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).sort();
  };
  const taint = (node: string, taints: readonly corev1.Taint[] | null): Promise<unknown> =>
    client.patch(corev1.nodes, { name: node }, { type: 'merge', body: { spec: { taints } } });
  const node = (name: string): Promise<unknown> =>
    client.create(corev1.nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} });
  const stays = { ending: false, phase: 'Pending', target: undefined };
  const evicted = {
    ending: true,
    phase: 'Pending',
    target: ['True', 'DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint'],
  };

  test('who comes to a tainted node is driven out too', async () => {
    await node('broken');
    await taint('broken', [{ key: 'broken', effect: 'NoExecute' }]);
    await pod('late', { nodeName: 'broken' });
    await expect.poll(() => state('late'), PATIENCE).toEqual(evicted);
  });

  test('a taint drives out who does not tolerate it: at once, after a while, or never', async () => {
    await node('tainted');
    const tolerating = (tolerationSeconds?: number): Partial<corev1.PodSpec> => ({
      nodeName: 'tainted',
      tolerations: [
        {
          key: 'broken',
          operator: 'Exists',
          effect: 'NoExecute',
          ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
        },
      ],
    });
    await pod('shy', { nodeName: 'tainted' });
    await pod('patient', tolerating(2));
    await pod('spared', tolerating(3600));
    await pod('brave', tolerating());
    await taint('tainted', [{ key: 'harmless', effect: 'NoSchedule' }]);
    await taint('tainted', [{ key: 'broken', effect: 'NoExecute' }]);
    await expect.poll(() => state('shy'), PATIENCE).toEqual(evicted);
    expect(await state('patient')).toEqual(stays);
    await expect.poll(() => state('patient'), PATIENCE).toEqual(evicted);
    await taint('tainted', null);
    await expect
      .poll(() => events('spared'), PATIENCE)
      .toContain('Normal TaintManagerEviction: Cancelling deletion of Pod default/spared');
    expect(await state('spared')).toEqual(stays);
    expect(await state('brave')).toEqual(stays);
    const marked = (name: string): readonly string[] => [
      `Normal TaintManagerEviction: Marking for deletion Pod default/${name}`,
    ];
    expect(await events('shy')).toEqual(marked('shy'));
    expect(await events('patient')).toEqual(marked('patient'));
    expect(await events('brave')).toEqual([]);
  });

  test('of the pods that are over, the oldest go', async () => {
    await node('quiet');
    for (const name of ['over-1', 'over-2', 'over-3']) {
      await pod(name, { nodeName: 'quiet' });
      const body = { status: { phase: 'Succeeded' } };
      await client.patch(corev1.pods, key(name), { type: 'merge', body }, { subresource: 'status' });
    }
    await expect.poll(() => state('over-1'), MORE_PATIENCE).toBe('gone');
    for (const name of ['over-2', 'over-3']) expect(await state(name)).toMatchObject({ phase: 'Succeeded' });
  });

  test('pods are collected that have no node any more, and that end on a dead one', async () => {
    await node('dead');
    await taint('dead', [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoSchedule' }]);
    const finalizers = ['example.com/hold'];
    await pod('orphan', { nodeName: 'nowhere' }, { finalizers });
    await pod('stranded', { nodeName: 'dead' });
    await pod('unplaced', {}, { finalizers });
    for (const name of ['stranded', 'unplaced']) await client.delete(corev1.pods, key(name));
    await expect.poll(() => state('stranded'), MORE_PATIENCE).toBe('gone');
    await expect
      .poll(() => state('unplaced'), MORE_PATIENCE)
      .toEqual({ ending: true, phase: 'Failed', target: undefined });
    await expect
      .poll(() => state('orphan'), MORE_PATIENCE)
      .toEqual({
        ending: true,
        phase: 'Failed',
        target: ['True', 'DeletionByPodGC', 'PodGC: node no longer exists'],
      });
    expect(await events('orphan')).toEqual([]);
  });
}

describeClusters(
  'pods that must go',
  {
    // Without the second, kube-controller-manager's first does not find the pods of a node.
    controllers: [
      'taint-eviction-controller',
      'node-lifecycle-controller',
      'pod-garbage-collector-controller',
    ],
    terminatedPods: 2,
  },
  podsThatMustGo,
);
