import type { appsv1, corev1, Named, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import type { Observed, PodAction } from './stateful-set-decision.ts';
import { missingPod } from './missing-pod.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const READY_AT = '2026-01-01T00:00:00Z';
const labels = { app: 'db' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'db', image: 'db:1' }] } };

function setOf(
  spec: Partial<appsv1.StatefulSetSpec> = {},
  metadata: Partial<Stored<appsv1.StatefulSet>['metadata']> = {},
): Stored<appsv1.StatefulSet> {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'ns', uid: 's', resourceVersion: '1', generation: 2, ...metadata },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
  };
}

type Looks = {
  readonly revision?: string;
  readonly phase?: NonNullable<corev1.PodStatus['phase']>;
  readonly ready?: boolean;
  readonly leaves?: true;
};

/** The pod at a place, of the newest revision and ready for a minute unless `looks` say otherwise. */
function podAt(ordinal: number, looks: Looks = {}, set = setOf()): Named<corev1.Pod> {
  const { revision = 'new', phase = 'Running', ready = true, leaves } = looks;
  const source = { revision, template };
  const { metadata, ...pod } = missingPod(set, { current: source, update: source }, ordinal);
  const status = ready ? 'True' : 'False';
  return {
    ...pod,
    metadata: { ...metadata, uid: `p${ordinal}`, ...(leaves ? { deletionTimestamp: READY_AT } : {}) },
    status: { phase, conditions: [{ type: 'Ready', status, lastTransitionTime: READY_AT }] },
  };
}
const all = (count: number, looks: Looks = {}): readonly Named<corev1.Pod>[] =>
  Array.from({ length: count }, (_, ordinal) => podAt(ordinal, looks));

const observed = (
  set: Stored<appsv1.StatefulSet>,
  pods: readonly Named<corev1.Pod>[],
  more: Partial<Observed> = {},
): Observed => ({
  set,
  pods,
  findClaim: () => undefined,
  current: { revision: 'old', template },
  update: { revision: 'new', template },
  collisions: 0,
  ...more,
});
const named = ({ type, pod }: PodAction): string => `${type} ${pod.metadata.name}`;
const steps = (of: Observed): readonly string[] => decide(of, NOW).stages.flat(2).map(named);

const old = { revision: 'old' };
const unready = { ready: false };
const leaves = { leaves: true } as const;
const { replicas: _, ...spec } = setOf().spec;
const unsized = { ...setOf(), spec };
const parallel = { podManagementPolicy: 'Parallel' } as const;
const partition = (from: number) =>
  ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: from } } }) as const;

test.each<[string, Stored<appsv1.StatefulSet>, readonly Named<corev1.Pod>[], readonly string[]]>([
  ['a new one', setOf(), [], ['create db-0']],
  ['a new parallel one', setOf(parallel), [], ['create db-0', 'create db-1', 'create db-2']],
  ['all there', setOf(), all(3), []],
  ['the next pod when the one before is ready', setOf(), [podAt(0)], ['create db-1']],
  ['the one before is not ready', setOf(), [podAt(0, unready)], []],
  ['a gap is filled first', setOf(), [podAt(0), podAt(2)], ['create db-1']],
  ['not ready long enough', setOf({ minReadySeconds: 90 }), [podAt(0)], []],
  ['no size is a size of one', unsized, [], ['create db-0']],
  ['a first place', setOf({ ordinals: { start: 5 } }), [], ['create db-5']],
  [
    'a pod that failed is replaced',
    setOf(),
    [podAt(0), podAt(1, { phase: 'Failed' }), podAt(2)],
    ['delete db-1'],
  ],
  ['a pod that succeeded too', setOf(), [podAt(0, { phase: 'Succeeded' })], ['delete db-0']],
  ['one that is going is waited for', setOf(), [podAt(0, leaves), podAt(1), podAt(2)], []],
  ['one that is over and going too', setOf(), [podAt(0, { ...leaves, phase: 'Failed' })], []],
  ['smaller: the highest goes', setOf({ replicas: 1 }), all(3), ['delete db-2']],
  ['smaller: one at a time', setOf({ replicas: 1 }), [podAt(0), podAt(1), podAt(2, leaves)], []],
  [
    'smaller, while a lower pod is not ready',
    setOf({ replicas: 2 }),
    [podAt(0, unready), podAt(1), podAt(2)],
    [],
  ],
  ['smaller: all at once', setOf({ ...parallel, replicas: 1 }), all(3), ['delete db-2', 'delete db-1']],
  ['none', setOf({ replicas: 0 }), all(1), ['delete db-0']],
  ['a first place that moved up', setOf({ replicas: 2, ordinals: { start: 1 } }), all(3), ['delete db-0']],
  ['one that is to end', setOf({}, { deletionTimestamp: READY_AT }), [podAt(0)], []],
])('%s', (_title, set, pods, expected) => expect(steps(observed(set, pods))).toEqual(expected));

test.each<[string, Partial<appsv1.StatefulSetSpec>, readonly Named<corev1.Pod>[], readonly string[]]>([
  ['the highest first', {}, all(3, old), ['delete db-2']],
  ['the next when that is ready', {}, [podAt(0, old), podAt(1, old), podAt(2)], ['delete db-1']],
  ['not before', {}, [podAt(0, old), podAt(1, old), podAt(2, unready)], []],
  ['one at a time in a parallel set too', parallel, all(3, old), ['delete db-2']],
  ['from the partition on', partition(2), [podAt(0, old), podAt(1, old), podAt(2)], []],
  ['a partition beyond the pods', partition(9), all(3, old), []],
  ['OnDelete', { updateStrategy: { type: 'OnDelete' } }, all(3, old), []],
  ['after pods that are to go', { replicas: 2 }, all(3, old), ['delete db-2']],
])('an update: %s', (_title, spec, pods, expected) =>
  expect(steps(observed(setOf(spec), pods))).toEqual(expected),
);

test.each<[string, number, string]>([
  ['below the partition a pod comes back as it was', 0, 'old'],
  ['above it a pod comes as it is to be', 1, 'new'],
])('%s', (_title, missing, revision) => {
  const pods = all(3, old).filter((_, ordinal) => ordinal !== missing);
  const [action] = decide(observed(setOf(partition(1)), pods), NOW).stages.flat(2);
  expect(action?.pod.metadata).toMatchObject({
    name: `db-${missing}`,
    labels: { 'controller-revision-hash': revision, 'apps.kubernetes.io/pod-index': `${missing}` },
  });
});

test('a pod comes with its claims, and waits for one that is going', () => {
  const set = setOf({
    volumeClaimTemplates: [
      { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec: {} },
    ],
  });
  const plan = (findClaim: Observed['findClaim']) => {
    const [action] = decide(observed(set, [], { findClaim }), NOW).stages.flat(2);
    return action?.type === 'create' ? action.claims : undefined;
  };
  expect(plan(() => undefined)?.create.map(({ metadata }) => metadata.name)).toEqual(['data-db-0']);
  const going = { namespace: 'ns', name: 'data-db-0', deletionTimestamp: READY_AT };
  expect(plan((name) => (name === 'data-db-0' ? claimOf(going) : undefined))).toMatchObject({
    create: [],
    leaving: ['data-db-0'],
  });
});

test('a pod that lost its name label is given it again', () => {
  const { metadata, ...pod } = podAt(0);
  const [action] = decide(
    observed(setOf(), [{ ...pod, metadata: { ...metadata, labels } }]),
    NOW,
  ).stages.flat(2);
  expect(action).toMatchObject({
    type: 'repair',
    change: { metadata: { labels: { 'statefulset.kubernetes.io/pod-name': 'db-0' } } },
  });
});

test('the status counts pods, and what an update is about to take', () => {
  const { status } = decide(observed(setOf(), [podAt(0, old), podAt(1, old), podAt(2)]), NOW);
  const counts = {
    observedGeneration: 2,
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    updatedReplicas: 1,
    currentRevision: 'old',
    updateRevision: 'new',
    collisionCount: 0,
  };
  expect(status(false)).toEqual({ ...counts, currentReplicas: 2 });
  expect(status(true)).toEqual({ ...counts, currentReplicas: 1 });
});

test('when all are updated and ready, the update is what the set is at', () => {
  expect(decide(observed(setOf(), all(3)), NOW).status(true)).toMatchObject({
    currentReplicas: 3,
    currentRevision: 'new',
  });
});

test('a pod that is ready is looked at again when it becomes available', () => {
  expect(decide(observed(setOf({ minReadySeconds: 90 }), [podAt(0)]), NOW).requeueAfter).toBe(30_000);
});

function claimOf(
  metadata: Named<corev1.PersistentVolumeClaim>['metadata'],
): Stored<corev1.PersistentVolumeClaim> {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...metadata, uid: metadata.name, resourceVersion: '1' },
    spec: {},
  };
}
