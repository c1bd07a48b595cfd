import { appsv1, corev1, type Stored, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { fewUnlessReal } from '../../../../test/servers/real-side.ts';
import { LABELS, ROLES, STATEFUL_MIGRATIONS } from './api.ts';
import {
  type BrokerForLoad,
  ENDS,
  isReady,
  migrationGone,
  PATIENT,
  reached,
} from './testing/migration-calls.ts';
import { useLoad } from './testing/use-load.ts';
import { otherNode, type Setting } from './testing/use-sets.ts';

/** Pods of which no StatefulSet makes another one: the shadow takes over, and stays. */
export function stayingShadowContract(transport: () => Transport, broker: () => BrokerForLoad): void {
  for (const [title, suite] of fewUnlessReal(1, SUITES)) describe(title, () => suite({ transport, broker }));
}

const SUITES = [
  ['the pod of a Deployment moves under load', ofDeployment],
  ['a pod that nobody controls moves under load', ofNobody],
] as const;

function ofDeployment(setting: Setting): void {
  const { operator, template, pods, move, declare, publish, expectWhole } = useLoad(setting, 'web');
  let source: Stored<corev1.Pod> | undefined;

  beforeAll(async () => {
    await declare();
    await operator.admin.create(appsv1.deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: operator.namespace },
      spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: template() },
    });
    const key = { namespace: operator.namespace, name: 'web' };
    const isRolledOut = (live: appsv1.Deployment | undefined): boolean => live?.status?.readyReplicas === 1;
    await waitForObject(operator.admin, appsv1.deployments, key, isRolledOut, PATIENT);
    [source] = await pods();
    publish();
  });

  const madeByReplicaSets = async () => {
    const { items } = await operator.admin.list(corev1.events, { namespace: operator.namespace });
    return items
      .filter(
        ({ reason, involvedObject: { kind } }) => reason === 'SuccessfulCreate' && kind === 'ReplicaSet',
      )
      .map(({ message }) => message);
  };

  test('MIG-6 its ReplicaSet adopts the shadow, and deletes the source: never is there a blank pod', async () => {
    await move('first', source?.metadata.name ?? '', otherNode(source?.spec.nodeName));
    const { status } = await reached(operator, 'first', ENDS);
    expect(status, status?.message).toMatchObject({
      phase: 'Completed',
      progress: 100,
      deploymentName: 'web',
    });
    const [pod, ...others] = await pods();
    expect(others).toEqual([]);
    expect(pod).toMatchObject({
      metadata: {
        name: `${source?.metadata.name}-shadow`,
        labels: { [LABELS.role]: ROLES.restored },
        ownerReferences: source?.metadata.ownerReferences,
      },
      spec: { nodeName: otherNode(source?.spec.nodeName) },
    });
    expect(await madeByReplicaSets()).toEqual([`Created pod: ${source?.metadata.name}`]);
  });

  test('MIG-6 the Deployment is as it was, and each message was applied once', async () => {
    const key = { namespace: operator.namespace, name: 'web' };
    expect((await operator.admin.get(appsv1.deployments, key)).metadata.generation).toBe(1);
    await expectWhole();
  });
}

function ofNobody(setting: Setting): void {
  const { operator, template, pods, move, declare, publish, expectWhole } = useLoad(setting, 'lone', 'lone');
  const { namespace } = operator;
  let source: Stored<corev1.Pod> | undefined;

  beforeAll(async () => {
    await declare();
    const { metadata, spec } = template();
    await operator.admin.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'lone', namespace },
      spec,
    });
    source = await waitForObject(operator.admin, corev1.pods, { namespace, name: 'lone' }, isReady, PATIENT);
    publish();
  });

  test('MIG-7 MIG-80 the pod on the other node keeps running when the migration is deleted', async () => {
    await move('first', 'lone', otherNode(source?.spec.nodeName));
    const { status } = await reached(operator, 'first', ENDS);
    expect(status).toMatchObject({ phase: 'Completed', message: 'pod lone-shadow has the state' });
    await operator.admin.delete(STATEFUL_MIGRATIONS, { namespace, name: 'first' });
    await migrationGone(operator, 'first');
    const [pod, ...others] = await pods();
    expect(others).toEqual([]);
    expect(pod?.metadata).not.toHaveProperty('ownerReferences');
    expect(pod?.metadata).not.toHaveProperty('deletionTimestamp');
    expect(pod?.spec.nodeName).toBe(otherNode(source?.spec.nodeName));
  });

  test('MIG-7 MIG-80 it moves back, under its first name', async () => {
    await move('back', 'lone-shadow', source?.spec.nodeName ?? '');
    expect((await reached(operator, 'back', ENDS)).status?.phase).toBe('Completed');
    const [pod, ...others] = await pods();
    expect(others).toEqual([]);
    expect([pod?.metadata.name, pod?.spec.nodeName]).toEqual(['lone', source?.spec.nodeName]);
    await expectWhole();
  });
}
