import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import { NodePods } from './state/node-pods.ts';
import { podInfoOf } from './state/pod-info.ts';

let made = 0;

function pod(spec: Partial<corev1.PodSpec> & { cpu?: string } = {}, labels = {}): Stored<corev1.Pod> {
  const { cpu, ...rest } = spec;
  const name = `p${++made}`;
  const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', labels },
    spec: { containers: [{ name: 'a', ...resources }], ...rest },
  };
}

function node(name: string, { labels = {}, spec = {}, cpu = '4', pods = '110' } = {}): Stored<corev1.Node> {
  const allocatable = { cpu, memory: '8Gi', pods };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      labels: { 'kubernetes.io/hostname': name, ...labels },
    },
    spec,
    status: { allocatable },
  };
}

type Placed = readonly [pod: Stored<corev1.Pod>, node: string];

function decided(
  one: Stored<corev1.Pod>,
  nodes: readonly Stored<corev1.Node>[],
  placed: readonly Placed[] = [],
): string {
  const state = new NodePods();
  for (const each of nodes) state.setNode(each);
  for (const [other, at] of placed) state.place(podInfoOf(other), at);
  const { guarded } = state;
  const namespaceLabels = (): Record<string, string> => ({});
  const decision = decide(podInfoOf(one), { nodes: state.nodes, guarded, namespaceLabels });
  return decision.type === 'bind' ? decision.node : decision.message;
}

const HELPLESS = (all: number): string =>
  `no new claims to deallocate, preemption: 0/${all} nodes are available: ${all} Preemption is not helpful for scheduling.`;

test('a pod goes where most is left', () => {
  const placed: readonly Placed[] = [
    [pod({ cpu: '2' }), 'a'],
    [pod({ cpu: '1' }), 'b'],
  ];
  expect(decided(pod({ cpu: '1' }), [node('a'), node('b')], placed)).toBe('b');
});

test('pods of one controller go to different nodes', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'r', controller: true };
  const replica = (): Stored<corev1.Pod> => {
    const made = pod();
    return { ...made, metadata: { ...made.metadata, ownerReferences: [owner] } };
  };
  const placed: readonly Placed[] = [
    [replica(), 'a'],
    [pod(), 'b'],
    [pod(), 'b'],
  ];
  expect(decided(replica(), [node('a'), node('b')], placed)).toBe('b');
});

test('without nodes', () => {
  expect(decided(pod(), [])).toBe('no nodes available to schedule pods');
});

test('each node says first what kube-scheduler asks first', () => {
  const nodes = [
    node('cordoned', { spec: { unschedulable: true, taints: [{ key: 'x', effect: 'NoSchedule' }] } }),
    node('tainted', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } }),
    node('other', { labels: { disk: 'hdd' } }),
    node('small', { labels: { disk: 'ssd' }, cpu: '500m' }),
    node('full', { labels: { disk: 'ssd' }, pods: '0' }),
  ];
  expect(decided(pod({ nodeSelector: { disk: 'ssd' }, cpu: '1' }), nodes)).toBe(
    "0/5 nodes are available: 1 Insufficient cpu, 1 Too many pods, 1 node(s) didn't match Pod's node affinity/selector, " +
      '1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims to deallocate, preemption: ' +
      '0/5 nodes are available: 1 No preemption victims found for incoming pod, 4 Preemption is not helpful for scheduling.',
  );
});

test('a node that is named in the affinity is the only one that is asked', () => {
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['b'] }] }];
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  const bound = pod({ affinity: { nodeAffinity: required }, cpu: '8' });
  expect(decided(bound, [node('a'), node('b'), node('c')])).toBe(
    `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${HELPLESS(3)}`,
  );
});

test('init containers, sidecars and overhead count', () => {
  const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
  const heavy = pod({
    initContainers: [
      { name: 'sidecar', restartPolicy: 'Always', ...requests('1') },
      { name: 'init', ...requests('2500m') },
    ],
    containers: [{ name: 'a', ...requests('1') }],
    overhead: { cpu: '600m' },
  });
  expect(decided(heavy, [node('a')])).toContain('1 Insufficient cpu');
  expect(decided(heavy, [node('a', { cpu: '4100m' })])).toBe('a');
});

test('one pod to a port of a node', () => {
  const serving = (): Stored<corev1.Pod> =>
    pod({ containers: [{ name: 'a', ports: [{ containerPort: 80, hostPort: 80 }] }] });
  expect(decided(serving(), [node('a'), node('b')], [[serving(), 'a']])).toBe('b');
  expect(decided(serving(), [node('a')], [[serving(), 'a']])).toContain(
    "1 node(s) didn't have free ports for the requested pod ports.",
  );
});

const term = (app: string, topologyKey = 'kubernetes.io/hostname') => ({
  topologyKey,
  labelSelector: { matchLabels: { app } },
});

test('pods keep away from those that they name, and from those that name them', () => {
  const shy = (): Stored<corev1.Pod> =>
    pod(
      { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('web')] } } },
      { app: 'web' },
    );
  expect(decided(shy(), [node('a'), node('b')], [[shy(), 'a']])).toBe('b');
  expect(decided(shy(), [node('a')], [[pod({}, { app: 'web' }), 'a']])).toContain(
    "1 node(s) didn't match pod anti-affinity rules.",
  );
  expect(decided(pod({}, { app: 'web' }), [node('a')], [[shy(), 'a']])).toContain(
    "1 node(s) didn't satisfy existing pods anti-affinity rules.",
  );
});

test('pods go near those that they name; the first of them anywhere', () => {
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('web', 'zone')] } };
  const nodes = [node('a', { labels: { zone: '1' } }), node('b', { labels: { zone: '2' } }), node('c')];
  const busy = pod({ cpu: '3' }, { app: 'web' });
  expect(decided(pod({ affinity }), nodes, [[busy, 'b']])).toBe('b');
  expect(decided(pod({ affinity }, { app: 'web' }), nodes)).toBe('a');
  expect(decided(pod({ affinity }), nodes)).toContain("3 node(s) didn't match pod affinity rules.");
});

test('a node without the label of a place is nowhere, whatever the label is called', () => {
  const podAffinityTerm = {
    topologyKey: 'constructor',
    labelSelector: { matchLabels: { app: 'web' } },
  };
  const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] };
  const nodes = [node('a', { labels: { constructor: 'x' } }), node('b')];
  const placed: readonly Placed[] = [[pod({}, { app: 'web' }), 'b']];
  expect(decided(pod({ affinity: { podAffinity: preferred } }), nodes, placed)).toBe('a');
});

test('a spread that is asked for is kept', () => {
  const spread = {
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable: 'DoNotSchedule' as const,
    labelSelector: { matchLabels: { app: 'web' } },
  };
  const web = (): Stored<corev1.Pod> => pod({ topologySpreadConstraints: [spread] }, { app: 'web' });
  const nodes = [node('a', { labels: { zone: '1' } }), node('b', { labels: { zone: '2' }, cpu: '1' })];
  expect(decided(web(), nodes, [[web(), 'a']])).toBe('b');
  const full = [
    node('a', { labels: { zone: '1' } }),
    node('b', { labels: { zone: '2' }, pods: '0' }),
    node('c'),
  ];
  expect(decided(web(), full, [[web(), 'a']])).toContain(
    "1 Too many pods, 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match pod topology spread constraints (missing required label).",
  );
});
