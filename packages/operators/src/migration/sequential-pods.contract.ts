import { appsv1, corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATEFUL_MIGRATIONS } from './api.ts';
import { isReady, migrationGone, PATIENT, reached } from './testing/migration-calls.ts';
import { useLoad } from './testing/use-load.ts';
import { otherNode, type Setting } from './testing/use-sets.ts';
import { boundVolume } from './testing/bound-volume.ts';

const ENDS = ['Completed', 'Failed', 'Rejected', 'Aborted'];

/** Pods that end before their successors start, and that no StatefulSet makes again. */
export function sequentialPodsContract(setting: Setting): void {
  describe('a pod that nobody controls, with a volume, moves under load', () => ofNobody(setting));
}

function ofNobody(setting: Setting): void {
  const { operator, template, pods, move, declare, publish, expectWhole } = useLoad(setting, 'disk');
  const { namespace } = operator;
  const key = { namespace, name: 'disk' };
  const volume = { name: `${namespace}-disk` };
  let source: Stored<corev1.Pod>;
  let owner: Stored;

  beforeAll(async () => {
    await declare();
    const [disk, claim] = boundVolume(volume.name, key);
    await operator.admin.create<KubeObject>(corev1.persistentvolumes, disk);
    await operator.admin.create<KubeObject>(corev1.persistentvolumeclaims, claim);
    owner = await operator.admin.create<KubeObject>(corev1.configmaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: key,
    });
    const { metadata, spec } = template();
    const { apiVersion, kind } = owner;
    await operator.admin.create<KubeObject & corev1.Pod>(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        ...key,
        annotations: { note: 'kept' },
        ownerReferences: [{ apiVersion, kind, name: 'disk', uid: owner.metadata.uid }],
      },
      spec: {
        ...spec,
        hostname: 'first',
        terminationGracePeriodSeconds: 1,
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'disk' } }],
      },
    });
    source = (await waitForObject(operator.admin, corev1.pods, key, isReady, PATIENT)) as Stored<corev1.Pod>;
    publish();
  });
  afterAll(async () => {
    await operator.admin.delete(corev1.persistentvolumes, volume);
  });

  test('MIG-7 MIG-70 it ends, and the next one, under its name and with its claim, has the state', async () => {
    await move('first', 'disk', otherNode(source.spec.nodeName));
    const { status } = await reached(operator, 'first', ENDS);
    expect(status, status?.message).toMatchObject({
      phase: 'Completed',
      strategy: 'Sequential',
      message: 'pod disk has the state',
    });
    const [pod, ...others] = await pods();
    expect(others).toEqual([]);
    expect(pod?.metadata.uid).not.toBe(source.metadata.uid);
    expect(pod).toMatchObject({
      metadata: {
        name: 'disk',
        labels: { app: 'disk' },
        annotations: { note: 'kept' },
        ownerReferences: [{ uid: owner.metadata.uid }],
      },
      spec: { nodeName: otherNode(source.spec.nodeName), hostname: 'first' },
    });
    expect(pod?.spec.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'disk' },
    });
  });

  test('its template is kept for as long as there may be no pod', async () => {
    const { items } = await operator.admin.list(appsv1.controllerrevisions, { namespace });
    expect(items).toEqual([]);
  });

  test('MIG-7 it stays when the migration is deleted, and moves back', async () => {
    await operator.admin.delete(STATEFUL_MIGRATIONS, { namespace, name: 'first' });
    await migrationGone(operator, 'first');
    await move('back', 'disk', source.spec.nodeName ?? '');
    const { status } = await reached(operator, 'back', ENDS);
    expect(status?.phase, status?.message).toBe('Completed');
    const [pod, ...others] = await pods();
    expect(others).toEqual([]);
    expect([pod?.metadata.name, pod?.spec.nodeName]).toEqual(['disk', source.spec.nodeName]);
    await expectWhole();
  });
}
