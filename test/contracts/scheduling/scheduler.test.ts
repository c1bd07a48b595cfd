import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@kubewright/client';
import { corev1, storagev1, type Transport } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';

const PATIENCE = { timeout: 20_000 };
const PREEMPTION =
  'no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';

function scheduling(transport: () => Transport): void {
  let client: Client;
  let namespace: string;
  beforeEach(async () => {
    client = createClient(transport());
    namespace = `scheduling-${randomUUID().slice(0, 8)}`;
    const metadata = { name: namespace };
    await client.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
  });
  const key = (name: string) => ({ namespace, name });
  const pod = (name: string, spec: Partial<corev1.PodSpec> = {}): Promise<unknown> =>
    client.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: key(name),
      spec: { containers: [{ name: 'a', image: 'a' }], ...spec },
    });
  const nodeOf = async (name: string) => (await client.get(corev1.pods, key(name))).spec.nodeName;
  const scheduled = async (name: string): Promise<unknown> => {
    const { status } = await client.get(corev1.pods, key(name));
    const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
    return [condition?.status, condition?.reason, condition?.message];
  };
  const events = async (name: string): Promise<readonly string[]> => {
    const { items } = await client.list(corev1.events, { namespace });
    const ours = items.filter(
      ({ involvedObject, source }) =>
        involvedObject.name === name && source?.component === 'default-scheduler',
    );
    return [...new Set(ours.map(({ type, reason, message }) => `${type} ${reason}: ${message}`))];
  };
  const storageClass = async (provisioner: string): Promise<string> => {
    const name = `class-${randomUUID().slice(0, 8)}`;
    await client.create(storagev1.storageclasses, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner,
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    return name;
  };
  const claim = (name: string, storageClassName: string): Promise<corev1.PersistentVolumeClaim> =>
    client.create(corev1.persistentvolumeclaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: key(name),
      spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  const volume = (
    storageClassName: string,
    node: string,
    claimRef?: corev1.ObjectReference,
  ): Promise<unknown> => {
    const expression = { key: 'kubernetes.io/hostname', operator: 'In' as const, values: [node] };
    return client.create(corev1.persistentvolumes, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `volume-${randomUUID().slice(0, 8)}` },
      spec: {
        storageClassName,
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/tmp' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
        ...(claimRef === undefined ? {} : { claimRef }),
      },
    });
  };
  const using = (claimName: string): Partial<corev1.PodSpec> => ({
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  });

  test('a pod gets a node, and it is told which', async () => {
    await pod('web');
    await expect.poll(() => nodeOf('web'), PATIENCE).toMatch(/^node-[12]$/);
    const message = `Successfully assigned ${namespace}/web to ${await nodeOf('web')}`;
    const successes = async (): Promise<readonly string[]> =>
      (await events('web')).filter((event) => event.startsWith('Normal Scheduled'));
    // One that fitted nowhere before the nodes were ready is told of that too.
    await expect.poll(successes, PATIENCE).toEqual([`Normal Scheduled: ${message}`]);
    expect(await scheduled('web')).toEqual(['True', undefined, undefined]);
  });

  test('who fits nowhere is told why, and goes when it does', async () => {
    await pod('picky', { nodeSelector: { disk: namespace } });
    const why = `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ${PREEMPTION}`;
    await expect.poll(() => scheduled('picky'), PATIENCE).toEqual(['False', 'Unschedulable', why]);
    await expect.poll(() => events('picky'), PATIENCE).toEqual([`Warning FailedScheduling: ${why}`]);
    const body = { metadata: { labels: { disk: namespace } } };
    await client.patch(corev1.nodes, { name: 'node-2' }, { type: 'merge', body });
    await expect.poll(() => nodeOf('picky'), PATIENCE).toBe('node-2');
  });

  test('a gated pod waits for its gates', async () => {
    await pod('gated', { schedulingGates: [{ name: 'example.com/wait' }] });
    await pod('free');
    await expect.poll(() => nodeOf('free'), PATIENCE).toMatch(/node/);
    expect(await scheduled('gated')).toEqual([
      'False',
      'SchedulingGated',
      'Scheduling is blocked due to non-empty scheduling gates',
    ]);
    await client.patch(corev1.pods, key('gated'), {
      type: 'merge',
      body: { spec: { schedulingGates: null } },
    });
    await expect.poll(() => nodeOf('gated'), PATIENCE).toMatch(/node/);
  });

  test('a cordoned node gets no pods', async () => {
    const cordon = (unschedulable: boolean) =>
      client.patch(corev1.nodes, { name: 'node-1' }, { type: 'merge', body: { spec: { unschedulable } } });
    await cordon(true);
    await expect
      .poll(async () => (await client.get(corev1.nodes, { name: 'node-1' })).spec.taints?.length, PATIENCE)
      .toBe(1);
    for (const name of ['a', 'b', 'c']) await pod(name);
    for (const name of ['a', 'b', 'c']) await expect.poll(() => nodeOf(name), PATIENCE).toBe('node-2');
    await cordon(false);
  });

  test('a pod waits for its claim to be there', async () => {
    await pod('early', using('late'));
    const why = `0/2 nodes are available: persistentvolumeclaim "late" not found. ${PREEMPTION}`;
    await expect.poll(() => scheduled('early'), PATIENCE).toEqual(['False', 'Unschedulable', why]);
    const name = await storageClass('kubernetes.io/no-provisioner');
    await volume(name, 'node-1');
    await claim('late', name);
    await expect.poll(() => nodeOf('early'), PATIENCE).toBe('node-1');
  });

  test('a volume that is there decides where its pod goes', async () => {
    const name = await storageClass('kubernetes.io/no-provisioner');
    await volume(name, 'node-2');
    await claim('data', name);
    await pod('first', using('data'));
    await expect.poll(() => nodeOf('first'), PATIENCE).toBe('node-2');
    const { status } = await client.get(corev1.persistentvolumeclaims, key('data'));
    expect(status?.phase).toBe('Bound');
    await pod('second', using('data'));
    await expect.poll(() => nodeOf('second'), PATIENCE).toBe('node-2');
    await claim('more', name);
    await pod('third', using('more'));
    const why = `0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. ${PREEMPTION}`;
    await expect.poll(() => scheduled('third'), PATIENCE).toEqual(['False', 'Unschedulable', why]);
  });

  test('a volume that is to be made is made for the node that was chosen, and waited for', async () => {
    const name = await storageClass('example.com/provisioner');
    await claim('data', name);
    await pod('web', { ...using('data'), nodeSelector: { 'kubernetes.io/hostname': 'node-1' } });
    const selected = async (): Promise<unknown> =>
      (await client.get(corev1.persistentvolumeclaims, key('data'))).metadata.annotations?.[
        'volume.kubernetes.io/selected-node'
      ];
    await expect.poll(selected, PATIENCE).toBe('node-1');
    expect(await nodeOf('web')).toBeUndefined();
    const { metadata } = await client.get(corev1.persistentvolumeclaims, key('data'));
    await volume(name, 'node-1', {
      kind: 'PersistentVolumeClaim',
      namespace,
      name: 'data',
      uid: metadata.uid,
    });
    await expect.poll(() => nodeOf('web'), PATIENCE).toBe('node-1');
  });
}

describeClusters(
  'scheduling',
  {
    controllers: ['node-lifecycle-controller', 'persistentvolume-binder-controller'],
    nodes: 2,
  },
  scheduling,
);
