import type { appsv1, corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { HASH } from '../constants.ts';
import { daemonPod } from './daemon-pod.ts';
import { decide } from './decide.ts';
import type { Observed } from './daemon-set-decision.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const DELETED = '2026-01-01T00:00:30Z';
const labels = { app: 'logs' };

const setOf = (
  spec: Partial<appsv1.DaemonSetSpec> = {},
  pod: Partial<corev1.PodSpec> = {},
): Stored<appsv1.DaemonSet> => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { namespace: 'ns', name: 'logs', uid: 'd', resourceVersion: '1', generation: 2 },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'logs', image: 'logs:1' }], ...pod } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
    ...spec,
  },
});
const nodeOf = (name: string, taint?: corev1.Taint): Stored<corev1.Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name, resourceVersion: '1', labels: { disk: name } },
  spec: taint === undefined ? {} : { taints: [taint] },
});
const taintOf = (effect: corev1.Taint['effect'], key = 'dedicated'): corev1.Taint => ({ key, effect });
const [a, b] = [nodeOf('a'), nodeOf('b')];

type Looks = {
  readonly hash?: string;
  readonly phase?: NonNullable<corev1.PodStatus['phase']>;
  readonly ready?: boolean;
  readonly leaves?: true;
  readonly creationTimestamp?: string;
};

/** A pod on a node, ready for a minute unless `looks` say otherwise. */
function podOn(nodeName: string, looks: Looks = {}, name = `pod-${nodeName}`): Stored<corev1.Pod> {
  const {
    hash = 'new',
    phase = 'Running',
    ready = true,
    leaves,
    creationTimestamp = '2026-01-01T00:00:00Z',
  } = looks;
  const status = ready ? 'True' : 'False';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'ns',
      name,
      uid: name,
      resourceVersion: '1',
      labels: { ...labels, [HASH]: hash },
      creationTimestamp,
      ...(leaves ? { deletionTimestamp: DELETED } : {}),
    },
    spec: { nodeName, containers: [] },
    status: { phase, conditions: [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  };
}

/** A pod that the scheduler is still to bring to a node. */
function podFor(node: string): Stored<corev1.Pod> {
  const { metadata, ...pod } = daemonPod(setOf(), node, 'new');
  const identity = { namespace: 'ns', name: `pod-${node}`, uid: node, resourceVersion: '1' };
  return { ...pod, metadata: { ...metadata, ...identity } };
}

const observed = (more: Partial<Observed>): Observed => ({
  set: setOf(),
  pods: [],
  nodes: [a, b],
  hash: 'new',
  collisions: 0,
  failureWait: () => 0,
  ...more,
});
function steps(more: Partial<Observed>): readonly string[] {
  const { create, remove } = decide(observed(more), NOW);
  return [
    ...create.map((node) => `create ${node}`),
    ...remove.map(({ metadata }) => `delete ${metadata.name}`),
  ];
}

const old = { hash: 'old' };
const surge = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } as const;

test.each<[string, Partial<Observed>, readonly string[]]>([
  ['no pod anywhere', {}, ['create a', 'create b']],
  ['a pod on each node', { pods: [podOn('a'), podOn('b')] }, []],
  ['no nodes', { nodes: [] }, []],
  ['a new node', { pods: [podOn('a')] }, ['create b']],
  ['a pod that waits for the scheduler', { pods: [podOn('a'), podFor('b')] }, []],
  [
    'a pod that waits for a node that is gone',
    { nodes: [a], pods: [podOn('a'), podFor('b')] },
    ['delete pod-b'],
  ],
  ['a pod that was on a node that is gone', { nodes: [a], pods: [podOn('a'), podOn('b')] }, []],
  ['a pod that is being deleted holds its node', { pods: [podOn('a', { leaves: true }), podOn('b')] }, []],
  [
    'a pod that is over and being deleted does not',
    { pods: [podOn('a', { leaves: true, phase: 'Failed' }), podOn('b')] },
    ['create a'],
  ],
  [
    'two pods on a node: the elder stays',
    { nodes: [a], pods: [podOn('a', { creationTimestamp: DELETED }, 'younger'), podOn('a', {}, 'elder')] },
    ['delete younger'],
  ],
  ['a pod that failed', { nodes: [a], pods: [podOn('a', { phase: 'Failed' })] }, ['delete pod-a']],
  [
    'a pod that failed again and is to wait',
    { nodes: [a], pods: [podOn('a', { phase: 'Failed' })], failureWait: () => 4000 },
    [],
  ],
  ['a pod that succeeded', { nodes: [a], pods: [podOn('a', { phase: 'Succeeded' })] }, ['delete pod-a']],
])('%s', (_title, more, expected) => expect(steps(more)).toEqual(expected));

test.each<[string, Stored<corev1.Node>, Partial<corev1.PodSpec>, readonly string[], readonly string[]]>([
  ['that is like any other', a, {}, ['create a'], []],
  ['that the selector names', a, { nodeSelector: { disk: 'a' } }, ['create a'], []],
  ['that the selector does not name', a, { nodeSelector: { disk: 'b' } }, [], ['delete pod-a']],
  ['that is not the one of the template', a, { nodeName: 'b' }, [], ['delete pod-a']],
  ['that repels new pods', nodeOf('a', taintOf('NoSchedule')), {}, [], []],
  ['that would rather not have pods', nodeOf('a', taintOf('PreferNoSchedule')), {}, ['create a'], []],
  ['that repels all pods', nodeOf('a', taintOf('NoExecute')), {}, [], ['delete pod-a']],
  [
    'whose taint is tolerated',
    nodeOf('a', taintOf('NoExecute')),
    { tolerations: [{ operator: 'Exists' }] },
    ['create a'],
    [],
  ],
  [
    'that is cordoned',
    nodeOf('a', taintOf('NoSchedule', 'node.kubernetes.io/unschedulable')),
    {},
    ['create a'],
    [],
  ],
  [
    'that is unreachable',
    nodeOf('a', taintOf('NoExecute', 'node.kubernetes.io/unreachable')),
    {},
    ['create a'],
    [],
  ],
  [
    'without network',
    nodeOf('a', taintOf('NoSchedule', 'node.kubernetes.io/network-unavailable')),
    {},
    [],
    [],
  ],
  [
    'without network, for a pod that needs none',
    nodeOf('a', taintOf('NoSchedule', 'node.kubernetes.io/network-unavailable')),
    { hostNetwork: true },
    ['create a'],
    [],
  ],
])('a node %s', (_title, node, pod, without, withPod) => {
  const more = { set: setOf({}, pod), nodes: [node] };
  expect([steps(more), steps({ ...more, pods: [podOn('a')] })]).toEqual([without, withPod]);
});

test.each<[string, Partial<appsv1.DaemonSetSpec>, readonly Stored<corev1.Pod>[], readonly string[]]>([
  ['one node at a time', {}, [podOn('a', old), podOn('b', old)], ['delete pod-a']],
  ['a node without a pod comes first', {}, [podOn('a', old)], ['create b']],
  ['the new pod is waited for', {}, [podOn('a', { ready: false }), podOn('b', old)], []],
  ['the next when it is ready', {}, [podOn('a'), podOn('b', old)], ['delete pod-b']],
  [
    'an old pod that is not ready goes at once',
    {},
    [podOn('a', { ...old, ready: false }), podOn('b', old)],
    ['delete pod-a'],
  ],
  [
    'limits of nothing are a limit of one',
    { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
    [podOn('a', old), podOn('b', old)],
    ['delete pod-a'],
  ],
  [
    'all at once',
    { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%' } } },
    [podOn('a', old), podOn('b', old)],
    ['delete pod-a', 'delete pod-b'],
  ],
  ['OnDelete', { updateStrategy: { type: 'OnDelete' } }, [podOn('a', old), podOn('b', old)], []],
  ['surge', { updateStrategy: surge }, [podOn('a', old), podOn('b', old)], ['create a']],
  [
    'surge: the old pod stays while the new one is not ready',
    { updateStrategy: surge },
    [podOn('a', old, 'old-a'), podOn('a', { ready: false }, 'new-a'), podOn('b', old)],
    [],
  ],
  [
    'surge: the old pod goes when the new one is ready',
    { updateStrategy: surge },
    [podOn('a', old, 'old-a'), podOn('a', {}, 'new-a'), podOn('b', old)],
    ['delete old-a'],
  ],
])('an update: %s', (_title, spec, pods, expected) => {
  expect(steps({ set: setOf(spec), pods })).toEqual(expected);
});

test('the status counts nodes by their pods', () => {
  const nodes = [a, b, nodeOf('c'), nodeOf('tainted', taintOf('NoSchedule'))];
  const pods = [podOn('a'), podOn('b', { ...old, ready: false }), podOn('tainted')];
  expect(decide(observed({ nodes, pods, collisions: 1 }), NOW).status).toEqual({
    observedGeneration: 2,
    collisionCount: 1,
    desiredNumberScheduled: 3,
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    numberReady: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
  });
});

test.each<[string, Partial<Observed>, number]>([
  ['a ready pod is available later', { set: setOf({ minReadySeconds: 100 }), pods: [podOn('a')] }, 40_000],
  [
    'a failed pod may be removed later',
    { pods: [podOn('a', { phase: 'Failed' })], failureWait: () => 4000 },
    4000,
  ],
])('looked at again: %s', (_title, more, expected) => {
  expect(decide(observed({ nodes: [a], ...more }), NOW).requeueAfter).toBe(expected);
});

test('events report pods that ended, and a failure is noted for its node', () => {
  const pods = [podOn('a', { phase: 'Failed' }), podOn('b', { phase: 'Succeeded' })];
  const { events, failedOn } = decide(observed({ pods }), NOW);
  expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
    'Warning FailedDaemonPod',
    'Normal SucceededDaemonPod',
  ]);
  expect(failedOn).toEqual(['a']);
});
