import { appsv1, corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fewUnlessReal } from '../../../../test/servers/real-side.ts';
import { STATEFUL_MIGRATIONS } from './api.ts';
import {
  blankPods,
  ENDS,
  isReady,
  migrationGone,
  PATIENT,
  PATIENT_POLL,
  reached,
  withoutWebhook,
} from './testing/migration-calls.ts';
import { useLoad } from './testing/use-load.ts';
import { otherNode, type Setting } from './testing/use-sets.ts';
import { boundVolume } from './testing/bound-volume.ts';

/** Pods that end before their successors start, and that no StatefulSet makes again. */
export function sequentialPodsContract(setting: Setting): void {
  for (const [title, suite] of fewUnlessReal(1, SUITES)) describe(title, () => suite(setting));
}

const SUITES = [
  ['a pod that nobody controls, with a volume, moves under load', ofNobody],
  ['the pod of a Deployment with a volume moves under load', ofDeployment],
] as const;

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

function ofDeployment(setting: Setting): void {
  const { operator, template, pods, move, declare, publish, expectWhole } = useLoad(setting, 'till');
  const { namespace } = operator;
  const key = { namespace, name: 'till' };
  const volume = { name: `${namespace}-till` };
  let source: Stored<corev1.Pod>;

  const podIn = async (): Promise<Stored<corev1.Pod>> => {
    const [pod, ...others] = await pods();
    expect(others).toEqual([]);
    if (pod === undefined) throw new TypeError('the Deployment has no pod');
    return pod;
  };
  const isWhole = (live: appsv1.Deployment | undefined): boolean => live?.status?.readyReplicas === 1;

  beforeAll(async () => {
    await declare();
    const [disk, claim] = boundVolume(volume.name, key);
    await operator.admin.create<KubeObject>(corev1.persistentvolumes, disk);
    await operator.admin.create<KubeObject>(corev1.persistentvolumeclaims, claim);
    const { metadata, spec } = template();
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'till' } }];
    await operator.admin.create(appsv1.deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: key,
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'till' } },
        template: { metadata, spec: { ...spec, volumes, terminationGracePeriodSeconds: 1 } },
      },
    });
    await waitForObject(operator.admin, appsv1.deployments, key, isWhole, PATIENT);
    source = await podIn();
    publish();
  });
  afterAll(async () => {
    await operator.admin.delete(corev1.persistentvolumes, volume);
  });

  test('MIG-6 MIG-70 it ends, and the one that its ReplicaSet makes on the other node has the state', async () => {
    await move('first', source.metadata.name, otherNode(source.spec.nodeName));
    const { status } = await reached(operator, 'first', ENDS);
    expect(status, status?.message).toMatchObject({
      phase: 'Completed',
      strategy: 'Sequential',
      deploymentName: 'till',
    });
    const pod = await podIn();
    expect(pod.metadata.name).toBe(status?.replacementPod);
    expect(pod.metadata.uid).not.toBe(source.metadata.uid);
    expect(pod).toMatchObject({
      metadata: { ownerReferences: source.metadata.ownerReferences },
      spec: { nodeName: otherNode(source.spec.nodeName) },
    });
  });

  test('MIG-58 while the webhook is away its ReplicaSet makes pods without the state, which are replaced', async () => {
    await operator.admin.delete(STATEFUL_MIGRATIONS, { namespace, name: 'first' });
    const bring = await withoutWebhook(operator.admin);
    const moved = await podIn();
    await move('back', moved.metadata.name, source.spec.nodeName ?? '');
    await expect.poll(() => blankPods(operator), PATIENT_POLL).toBeGreaterThan(0);
    await bring();
    const { status } = await reached(operator, 'back', ENDS);
    expect(status?.phase, status?.message).toBe('Completed');
    expect((await podIn()).spec.nodeName).toBe(source.spec.nodeName);
  });

  test('MIG-6 the Deployment is as it was, and each message was applied once', async () => {
    expect((await operator.admin.get(appsv1.deployments, key)).metadata.generation).toBe(1);
    await expectWhole();
  });

  test('MIG-56 somebody scales it to 0 as its pod has ended: the migration fails, and there is no other pod', async () => {
    await operator.admin.delete(STATEFUL_MIGRATIONS, { namespace, name: 'back' });
    const before = await blankPods(operator);
    const bring = await withoutWebhook(operator.admin);
    const pod = await podIn();
    await move('scaled', pod.metadata.name, otherNode(pod.spec.nodeName));
    await expect.poll(() => blankPods(operator), PATIENT_POLL).toBeGreaterThan(before);
    const body = { spec: { replicas: 0 } };
    await operator.admin.patch(appsv1.deployments, key, { type: 'merge', body });
    const { status } = await reached(operator, 'scaled', ENDS);
    expect([status?.phase, status?.outcome?.reason]).toEqual(['Failed', 'ReplicaSetScaledDown']);
    await expect.poll(pods, PATIENT_POLL).toEqual([]);
    await bring();
  });
}
