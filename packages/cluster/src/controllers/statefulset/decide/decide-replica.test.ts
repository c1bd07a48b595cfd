import type { appsv1, corev1, Named, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { missingPod } from './missing-pod.ts';
import { decideReplica } from './decide-replica.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const READY_AT = '2026-01-01T00:00:00Z';
const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [] } };
const source = { revision: 'r', template };

const setOf = (spec: Partial<appsv1.StatefulSetSpec> = {}): Stored<appsv1.StatefulSet> => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'ns', uid: 's', resourceVersion: '1' },
  spec: { selector: { matchLabels: { app: 'db' } }, template, ...spec },
});
const withClaims = setOf({
  volumeClaimTemplates: [
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec: {} },
  ],
});
const deletesClaims: Partial<appsv1.StatefulSetSpec> = {
  ...withClaims.spec,
  persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
};

function podOf(status: corev1.PodStatus, { set = setOf(), leaves = false } = {}): Named<corev1.Pod> {
  const { metadata, ...pod } = missingPod(set, { current: source, update: source }, 0);
  const deleted = leaves ? { deletionTimestamp: READY_AT } : {};
  return { ...pod, metadata: { ...metadata, uid: 'new', ...deleted }, status };
}
const ready: corev1.PodStatus = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: READY_AT }],
};
/** The claim of a pod that had the name before. */
const staleClaim: Stored<corev1.PersistentVolumeClaim> = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    namespace: 'ns',
    name: 'data-db-0',
    uid: 'claim',
    resourceVersion: '1',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: 'old', controller: true }],
  },
  spec: {},
};

type Row = readonly [
  title: string,
  set: Stored<appsv1.StatefulSet>,
  pod: Named<corev1.Pod>,
  actions: readonly string[],
  blocks: readonly [ordered: boolean, parallel: boolean],
];

test.each<Row>([
  ['still to be made', setOf(), podOf({}), ['create'], [true, true]],
  ['that failed', setOf(), podOf({ phase: 'Failed' }), ['delete'], [true, true]],
  ['that failed and is going', setOf(), podOf({ phase: 'Failed' }, { leaves: true }), [], [true, true]],
  ['that is pending', setOf(), podOf({ phase: 'Pending' }), [], [true, false]],
  [
    'that waits for its claims',
    withClaims,
    podOf({ phase: 'Pending' }, { set: withClaims }),
    ['supply'],
    [true, false],
  ],
  ['that is not ready', setOf(), podOf({ phase: 'Running' }), [], [true, false]],
  ['that is not ready long enough', setOf({ minReadySeconds: 90 }), podOf(ready), [], [true, false]],
  ['that is going', setOf(), podOf(ready, { leaves: true }), [], [true, false]],
  ['that is well', setOf(), podOf(ready), [], [false, false]],
  ['that lacks the volumes of its claims', withClaims, podOf(ready), ['repair'], [false, false]],
])('a pod %s', (_title, set, pod, expected, blocks) => {
  const [ordered, parallel] = [false, true].map((mode) =>
    decideReplica(set, pod, { findClaim: () => undefined, parallel: mode, now: NOW }),
  );
  expect(ordered?.actions.map(({ type }) => type)).toEqual(expected);
  expect([ordered?.blocks, parallel?.blocks]).toEqual(blocks);
});

test('a pod is not made while its claim is to go with the pod that was there before', () => {
  const set = setOf(deletesClaims);
  const circumstances = { findClaim: () => staleClaim, parallel: false, now: NOW };
  expect(decideReplica(set, podOf({}, { set }), circumstances)).toEqual({ actions: [], blocks: true });
});
