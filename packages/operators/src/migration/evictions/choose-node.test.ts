import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { nodeOf, podOf } from '../testing/migration-bench.ts';
import { chooseNode } from './choose-node.ts';

const none = { open: [], tried: [] };
const pod = (spec: Partial<corev1.PodSpec> = {}) => podOf({ spec });

function node(name: string, { taints = [], labels = {} }: NodeFacts = {}): Stored<corev1.Node> {
  const made = nodeOf();
  return { ...made, metadata: { ...made.metadata, name, labels }, spec: { taints: [...taints] } };
}

type NodeFacts = {
  readonly taints?: readonly corev1.Taint[];
  readonly labels?: Readonly<Record<string, string>>;
};

const GPU: corev1.Taint = { key: 'gpu', value: 'a100', effect: 'NoSchedule' };

test('the node to which the fewest pods go', () => {
  expect(chooseNode(pod(), [node('b'), node('c')], none)).toBe('b');
  expect(chooseNode(pod(), [node('b'), node('c')], { open: ['b'], tried: [] })).toBe('c');
  expect(chooseNode(pod(), [node('b'), node('c')], { open: ['c', 'c'], tried: ['b'] })).toBe('c');
  expect(chooseNode(pod(), [node('a')], none)).toBeUndefined();
});

test('a node with the labels that the pod selects', () => {
  const nodes = [node('b'), node('c', { labels: { disk: 'ssd' } })];
  expect(chooseNode(pod({ nodeSelector: { disk: 'ssd' } }), nodes, none)).toBe('c');
});

test.each<readonly [string, corev1.Taint, readonly corev1.Toleration[], boolean]>([
  ['keeps it away', GPU, [], false],
  ['only prefers others', { ...GPU, effect: 'PreferNoSchedule' }, [], true],
  ['is tolerated by its value', GPU, [{ key: 'gpu', value: 'a100' }], true],
  ['has another value', GPU, [{ key: 'gpu', value: 'h100' }], false],
  ['is tolerated by its key', GPU, [{ key: 'gpu', operator: 'Exists' }], true],
  ['has another effect', GPU, [{ key: 'gpu', operator: 'Exists', effect: 'NoExecute' }], false],
  ['is tolerated like every one', GPU, [{ operator: 'Exists' }], true],
  ['is not tolerated by an empty key', GPU, [{ value: 'a100' }], false],
])('a taint that %s', (_what, taint, tolerations, isChosen) => {
  const chosen = chooseNode(pod({ tolerations: [...tolerations] }), [node('b', { taints: [taint] })], none);
  expect(chosen).toBe(isChosen ? 'b' : undefined);
});
