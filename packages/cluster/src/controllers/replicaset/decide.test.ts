import type { appsv1, corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const setOf = (
  replicas: number,
  more: Partial<Stored<appsv1.ReplicaSet>> = {},
): Stored<appsv1.ReplicaSet> => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { namespace: 'ns', name: 'web', uid: 'rs', resourceVersion: '1', generation: 2 },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } } },
  },
  ...more,
});
const ready = (lastTransitionTime: string): corev1.PodStatus => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }],
});
const podOf = (
  name: string,
  status: corev1.PodStatus = ready('2026-01-01T00:00:00Z'),
  more: Partial<Stored<corev1.Pod>['metadata']> = {},
): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name, uid: name, resourceVersion: '1', labels: { app: 'web' }, ...more },
  spec: { containers: [], nodeName: 'n' },
  status,
});
const [a, b] = [podOf('a'), podOf('b')];
const pending = podOf('p', { phase: 'Pending' });
const leaving = podOf('l', ready('2026-01-01T00:00:00Z'), { deletionTimestamp: '2026-01-01T00:00:30Z' });

test.each<[string, Stored<appsv1.ReplicaSet>, readonly Stored<corev1.Pod>[], string, readonly string[]]>([
  ['none of two', setOf(2), [], 'TooFew', ['create 2']],
  ['one of two', setOf(2), [a], 'TooFew', ['create 1']],
  ['two of two', setOf(2), [a, b], 'AsDesired', []],
  ['one that leaves does not count', setOf(2), [a, leaving], 'TooFew', ['create 1']],
  ['one that is over does not count', setOf(1), [podOf('f', { phase: 'Failed' })], 'TooFew', ['create 1']],
  ['no more than 500 at once', setOf(2000), [], 'TooFew', ['create 500']],
  ['who is not ready goes first', setOf(1), [a, pending], 'TooMany', ['delete p']],
  [
    'a set that is to end',
    setOf(2, { metadata: { ...setOf(2).metadata, deletionTimestamp: '2026-01-01T00:00:30Z' } }),
    [a],
    'Deleting',
    [],
  ],
])('%s', (_title, replicaSet, pods, reason, expected) => {
  const decision = decide({ replicaSet, pods, related: pods }, NOW);
  const actions = decision.actions.map((action) =>
    action.type === 'create' ? `create ${action.count}` : `${action.type} ${action.pod.metadata.name}`,
  );
  expect([decision.reason, actions]).toEqual([reason, expected]);
});

test('the status counts pods, and why there are not enough', () => {
  const decision = decide({ replicaSet: setOf(3), pods: [a, pending, leaving], related: [] }, NOW);
  const counts = {
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 1,
    availableReplicas: 1,
    terminatingReplicas: 1,
    observedGeneration: 2,
  };
  expect(decision.status()).toEqual(counts);
  const lastTransitionTime = '2026-01-01T00:01:00Z';
  const failure = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: 'no',
    lastTransitionTime,
  };
  expect(decision.status('no')).toEqual({ ...counts, conditions: [failure] });
});

test('a pod that is ready is looked at again when it becomes available', () => {
  const replicaSet = setOf(1);
  const waits = { ...replicaSet, spec: { ...replicaSet.spec, minReadySeconds: 100 } };
  const decision = decide({ replicaSet: waits, pods: [a], related: [] }, NOW);
  expect(decision.requeueAfter).toBe(40_000);
  expect(decision.status().availableReplicas).toBeUndefined();
});
