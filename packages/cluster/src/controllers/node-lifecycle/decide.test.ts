import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide, type NodeDecision, type Observed } from './decide.ts';

const NOW = 100_000;
const GRACE = 40_000;
const TIME = '1970-01-01T00:01:40Z';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const NOT_READY = 'node.kubernetes.io/not-ready';

type Status = 'True' | 'False' | 'Unknown';
const nodeOf = (
  ready: Status,
  spec: corev1.NodeSpec = {},
  more: readonly corev1.NodeCondition[] = [],
): Stored<corev1.Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a', uid: 'a', resourceVersion: '1' },
  spec,
  status: { conditions: [{ type: 'Ready', status: ready }, ...more] },
});
const well: Stored<corev1.Node> = {
  ...nodeOf('True'),
  metadata: { name: 'b', uid: 'b', resourceVersion: '1' },
};
const pod: Stored<corev1.Pod> = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name: 'p', uid: 'u', resourceVersion: '1' },
  spec: { containers: [] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
};
const added = (key: string, effect: corev1.Taint['effect']): corev1.Taint => ({
  key,
  effect,
  timeAdded: TIME,
});

function decided(node: Stored<corev1.Node>, observed: Partial<Observed> = {}): NodeDecision {
  const all = {
    node,
    heard: NOW,
    graceMs: GRACE,
    nodes: [node, well],
    emptyFrom: 0,
    pods: [pod],
    ...observed,
  };
  return decide(all, NOW);
}

test.each<[string, Stored<corev1.Node>, Partial<Observed>, readonly corev1.Taint[] | undefined]>([
  ['a node that is well', nodeOf('True'), {}, undefined],
  [
    'one that is not ready',
    nodeOf('False'),
    {},
    [added(NOT_READY, 'NoSchedule'), added(NOT_READY, 'NoExecute')],
  ],
  [
    'one that nobody hears',
    nodeOf('Unknown'),
    {},
    [added(UNREACHABLE, 'NoSchedule'), added(UNREACHABLE, 'NoExecute')],
  ],
  [
    'one of which it is said',
    nodeOf('True', { unschedulable: true }),
    {},
    [added('node.kubernetes.io/unschedulable', 'NoSchedule')],
  ],
  [
    'one without room',
    nodeOf('True', {}, [{ type: 'DiskPressure', status: 'True' }]),
    {},
    [added('node.kubernetes.io/disk-pressure', 'NoSchedule')],
  ],
  ['one that is well again', nodeOf('True', { taints: [{ key: NOT_READY, effect: 'NoExecute' }] }), {}, []],
  ['taints of others', nodeOf('True', { taints: [{ key: 'mine', effect: 'NoExecute' }] }), {}, undefined],
  ['when all are lost', nodeOf('False'), { nodes: [nodeOf('False')] }, [added(NOT_READY, 'NoSchedule')]],
  ['while others are emptied', nodeOf('False'), { emptyFrom: NOW + 5000 }, [added(NOT_READY, 'NoSchedule')]],
])('taints of %s', (_title, node, observed, expected) => {
  expect(decided(node, observed).taints).toEqual(expected);
});

test('a node that falls silent is unknown, and so are its pods', () => {
  const silent = decided(nodeOf('True'), { heard: NOW - GRACE - 1 });
  const ready = silent.conditions?.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' });
  expect(silent).toMatchObject({ unready: [pod], empties: true, events: [{ reason: 'NodeNotReady' }] });
});

test.each<[string, Stored<corev1.Node>, Partial<Observed>, number]>([
  ['when it would be silent for too long', nodeOf('True'), {}, GRACE + 1],
  ['when it may be emptied', nodeOf('False'), { emptyFrom: NOW + 5000 }, 5000],
  ['when something changes', nodeOf('Unknown'), { heard: 0 }, Number.POSITIVE_INFINITY],
])('it is looked at again %s', (_title, node, observed, expected) => {
  expect(decided(node, observed).requeueAfter).toBe(expected);
});

test('labels of old follow those of now', () => {
  const labels = {
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/arch': 'amd64',
  };
  const node = { ...nodeOf('True'), metadata: { name: 'a', uid: 'a', resourceVersion: '1', labels } };
  expect(decided(node).labels).toEqual({ 'beta.kubernetes.io/os': 'linux' });
});
