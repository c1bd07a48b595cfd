import { corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STATEFUL_MIGRATIONS } from './api.ts';
import { ENDS, isReady, reached } from './testing/migration-calls.ts';
import { lookedAgain, otherNode, type Setting, useSets } from './testing/use-sets.ts';

/** How the pod of a StatefulSet moves with its volume, which is on no node until somebody says so. */
export function setVolumesContract(setting: Setting): void {
  const suite = useSets(setting, 0);
  const { operator, key } = suite;
  const { namespace } = operator;
  const volume = { name: `${namespace}-data` };
  const claim = { namespace, name: `data-${key.name}` };
  let source: Stored<corev1.Pod>;

  beforeAll(async () => {
    const size = { storage: '1Gi' };
    await operator.admin.create<KubeObject>(corev1.persistentvolumes, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: volume,
      spec: {
        capacity: size,
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/data' },
        claimRef: { kind: 'PersistentVolumeClaim', ...claim },
      },
    });
    const spec = {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: size },
    } as const;
    const template = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec,
    } as const;
    await suite.make({ volumeClaimTemplates: [template] });
    source = await suite.readyPod();
    suite.publish();
  });
  afterAll(async () => {
    await operator.admin.delete(corev1.persistentvolumes, volume);
  });

  test('MIG-5 MIG-70 its pod ends before its successor starts, whatever strategy is asked for, and an Event says why', async () => {
    await suite.move('first', { migrationStrategy: 'ShadowPod' });
    const { status } = await reached(operator, 'first', ENDS);
    expect(status, status?.message).toMatchObject({ phase: 'Completed', strategy: 'Sequential' });
    const { items } = await operator.admin.list(corev1.events, { namespace });
    expect(items.map(({ reason }) => reason)).toContain('StrategyChanged');
    expect((await suite.pods()).map(({ metadata }) => metadata.name)).toEqual([key.name]);
  });

  test('MIG-5 its pod is on the other node, with the same claim, and is there when its set has looked again', async () => {
    const { spec, metadata } = await suite.readyPod();
    expect(spec.nodeName).toBe(otherNode(source.spec.nodeName));
    expect(spec.volumes).toContainEqual({ name: 'data', persistentVolumeClaim: { claimName: claim.name } });
    await lookedAgain(suite);
    const again = await suite.podWhere((pod) => isReady(pod));
    expect(again.metadata.uid).toBe(metadata.uid);
    await suite.expectWhole();
  });

  test('MIG-70 a volume that cannot be used on the target node: the migration is rejected', async () => {
    const values = [otherNode(source.spec.nodeName)];
    const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values }];
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
    const body = { spec: { nodeAffinity } };
    await operator.admin.patch(corev1.persistentvolumes, volume, { type: 'merge', body });
    await suite.move('back');
    const { status } = await reached(operator, 'back', ENDS);
    const rejected = status?.conditions?.find(({ type }) => type === 'Failed');
    expect([status?.phase, rejected?.reason]).toEqual(['Rejected', 'VolumesNotSupported']);
    expect(status?.message).toBe(
      `volume ${volume.name} of claim ${claim.name} cannot be used on node ${source.spec.nodeName}`,
    );
    await operator.admin.delete(STATEFUL_MIGRATIONS, { namespace, name: 'first' });
  });
}
