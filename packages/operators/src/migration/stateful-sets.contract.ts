import { appsv1, corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { fewUnlessReal } from '../../../../test/servers/real-side.ts';
import { LABELS } from './api.ts';
import { deletedSourceContract } from './deleted-source.contract.ts';
import { setVolumesContract } from './set-volumes.contract.ts';
import {
  blankPods,
  ENDS,
  isReady,
  PATIENT_POLL,
  reached,
  withoutWebhook,
} from './testing/migration-calls.ts';
import { lookedAgain, otherNode, type Setting, useSets } from './testing/use-sets.ts';

type Pods = readonly Stored<corev1.Pod>[];

/** What StatefulSets do with their pods meanwhile, and what becomes of a migration when somebody changes them. */
export function statefulSetsContract(setting: Setting): void {
  for (const [title, suite] of fewUnlessReal(1, SUITES)) describe(title, () => suite(setting));
}

const SUITES = [
  ['a StatefulSet that somebody changes while its pod moves', whileChanged],
  [
    'a StatefulSet whose pod is deleted while it stands still',
    (setting: Setting) => deletedSourceContract(setting, {}),
  ],
  [
    'a StatefulSet whose pod, with a larger state, is deleted while it goes on',
    (setting: Setting) => deletedSourceContract(setting, { MS2M_COPY_BYTES: '0' }),
  ],
  ['a parallel StatefulSet whose ordinals start at 5', inParallel],
  ['a StatefulSet of three, up to a partition in a rollout', inRollout],
  ['a StatefulSet with volumes', setVolumesContract],
] as const;

function whileChanged(setting: Setting): void {
  const suite = useSets(setting, 0);
  const { operator } = suite;
  const { namespace } = operator;

  /** The migration stands at the barrier, behind the message at the gate. */
  const begin = async (name: string): Promise<void> => {
    await suite.readyPod();
    await suite.move(name);
    await suite.atStep(name, 'Barrier');
  };
  const expectEnd = async (name: string, phase: string, reason: string): Promise<void> => {
    const { status } = await reached(operator, name, ENDS);
    const failed = status?.conditions?.find(({ type }) => type === 'Failed');
    expect([status?.phase, failed?.reason], status?.message).toEqual([phase, reason]);
  };
  const editTemplate = (note: string | null) =>
    suite.change({ template: { metadata: { annotations: { note } } } });

  beforeAll(async () => {
    await suite.make({ updateStrategy: { type: 'OnDelete' } });
    await suite.shutGate();
  });

  test('MIG-54 somebody edits its template: all is undone, and the pod is left to the rollout', async () => {
    await begin('edited');
    const { metadata } = await suite.readyPod();
    await editTemplate('edited');
    await expectEnd('edited', 'Failed', 'RolloutInProgress');
    const [pod, ...others] = await suite.pods();
    expect(others).toEqual([]);
    expect(pod?.metadata.uid).toBe(metadata.uid);
    expect(pod?.metadata.labels).not.toHaveProperty(LABELS.migration);
  });

  test('MIG-53 in a rollout no migration begins', async () => {
    await suite.setWhere(({ status }) => status?.currentRevision !== status?.updateRevision);
    await suite.move('late');
    await expectEnd('late', 'Rejected', 'RolloutInProgress');
    await editTemplate(null);
    await suite.setWhere(
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.currentRevision === status?.updateRevision,
    );
  });

  test('MIG-56 somebody scales it to 0: its pod goes, and there is no other one', async () => {
    await begin('scaled');
    await suite.change({ replicas: 0 });
    await expectEnd('scaled', 'Failed', 'OrdinalOutOfRange');
    await expect.poll(suite.pods, PATIENT_POLL).toEqual([]);
    await suite.change({ replicas: 1 });
  });

  test('MIG-57 somebody deletes it: its pod goes, and there is no other one', async () => {
    await begin('deleted');
    await operator.admin.delete(appsv1.statefulsets, { namespace, name: 'consumer' });
    await expectEnd('deleted', 'Failed', 'StatefulSetGone');
    await expect.poll(suite.pods, PATIENT_POLL).toEqual([]);
  });
}

function siblingsIn(pods: Pods, moved: string) {
  return pods
    .filter(({ metadata }) => metadata.labels?.['app'] === 'consumer' && metadata.name !== moved)
    .map(({ metadata, status }) => ({
      name: metadata.name,
      uid: metadata.uid,
      restarts: status?.containerStatuses?.map(({ restartCount }) => restartCount),
    }));
}

function inRollout(setting: Setting): void {
  const suite = useSets(setting, 0);
  const { operator, key } = suite;
  const { namespace } = operator;
  const foreign = { namespace, name: `${key.name}-shadow` };
  let before: Pods;
  let source: Stored<corev1.Pod>;

  beforeAll(async () => {
    await suite.make({
      replicas: 3,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
    });
    await suite.setWhere(({ status }) => status?.readyReplicas === 3);
    await suite.change({ template: { metadata: { annotations: { note: 'edited' } } } });
    await suite.setWhere(({ status }) => status?.updatedReplicas === 2 && status.readyReplicas === 3);
    await operator.admin.create<KubeObject>(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: foreign,
      spec: { containers: [{ name: 'main', image: 'plain:1' }] },
    });
    before = await suite.pods();
    source = await suite.readyPod();
    suite.publish();
  });

  test('MIG-55 the pod below the partition moves, and keeps its revision', async () => {
    await suite.move('first');
    const { status } = await reached(operator, 'first', ENDS);
    expect(status?.phase, status?.message).toBe('Completed');
    const set = await operator.admin.get(appsv1.statefulsets, { namespace, name: 'consumer' });
    const moved = await suite.readyPod();
    expect(set.status?.updateRevision).not.toBe(set.status?.currentRevision);
    expect(moved.metadata.labels).toMatchObject({ 'controller-revision-hash': set.status?.currentRevision });
    expect(moved.spec.nodeName).toBe(otherNode(source.spec.nodeName));
    await lookedAgain(suite);
    const { metadata } = await suite.podWhere(() => true);
    expect(metadata.uid).toBe(moved.metadata.uid);
    expect(metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('MIG-2 the other two are the pods that they were, and were not restarted', async () => {
    const siblings = siblingsIn(await suite.pods(), key.name);
    expect(siblings.map(({ restarts }) => restarts)).toEqual([[0], [0]]);
    expect(siblings).toEqual(siblingsIn(before, key.name));
  });

  test('MIG-59 a foreign pod that has the name of the shadow is left alone', async () => {
    const { status } = await reached(operator, 'first', ENDS);
    expect(status?.targetPod).toMatch(/^consumer-0-shadow-[0-9a-f]{8}$/);
    const { metadata } = await operator.admin.get(corev1.pods, foreign);
    expect(metadata.uid).toBe(before.find(({ metadata: { name } }) => name === foreign.name)?.metadata.uid);
    expect(metadata.labels ?? {}).not.toHaveProperty(LABELS.migration);
  });

  test('MIG-2 each message was applied once, and in order', () => suite.expectWhole());
}

function inParallel(setting: Setting): void {
  const suite = useSets(setting, 6);
  const { operator, key } = suite;
  const { namespace } = operator;
  let before: Pods;
  let source: Stored<corev1.Pod>;

  beforeAll(async () => {
    await suite.make({ replicas: 3, podManagementPolicy: 'Parallel', ordinals: { start: 5 } });
    await suite.setWhere(({ status }) => status?.readyReplicas === 3);
    before = await suite.pods();
    source = await suite.readyPod();
    suite.publish();
  });

  test('MIG-51 MIG-58 while the webhook is away the set makes pods without the state, which are replaced', async () => {
    const bring = await withoutWebhook(operator.admin);
    await suite.move('first');
    await expect.poll(() => blankPods(operator), PATIENT_POLL).toBeGreaterThan(0);
    await bring();
    const { status } = await reached(operator, 'first', ENDS);
    expect(status?.phase, status?.message).toBe('Completed');
  });

  test('MIG-3 MIG-4 the other two are left alone, and the moved one is in its place, owned by the set', async () => {
    const siblings = siblingsIn(await suite.pods(), key.name);
    expect(siblings).toEqual(siblingsIn(before, key.name));
    const moved = await suite.readyPod();
    const { name, uid } = await operator.admin
      .get(appsv1.statefulsets, { namespace, name: 'consumer' })
      .then(({ metadata }) => metadata);
    expect(moved).toMatchObject({
      metadata: { ownerReferences: [{ name, uid, controller: true }] },
      spec: { nodeName: otherNode(source.spec.nodeName), hostname: key.name, subdomain: 'consumer' },
    });
  });

  test('MIG-5 the pod that was there at the end is there when its set has looked again', async () => {
    const { metadata } = await suite.readyPod();
    await lookedAgain(suite);
    const again = await suite.podWhere((pod) => isReady(pod));
    expect(again.metadata.uid).toBe(metadata.uid);
  });

  test('MIG-51 each message was applied once, and in order', () => suite.expectWhole());
}
