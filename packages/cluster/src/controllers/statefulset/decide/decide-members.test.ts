import type { appsv1, corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { adoptRevisions, decideMembers } from './decide-members.ts';

const DELETED = '2026-01-01T00:00:00Z';
const labels = { app: 'db' };
const setOf = (
  metadata: Partial<Stored<appsv1.StatefulSet>['metadata']> = {},
  selector: appsv1.StatefulSetSpec['selector'] = { matchLabels: labels },
): Stored<appsv1.StatefulSet> => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'ns', uid: 's', resourceVersion: '1', ...metadata },
  spec: { selector, template: {} },
});
const controlledBy = (uid: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid, controller: true }],
});
const podOf = (name: string, more: Partial<Stored<corev1.Pod>['metadata']> = {}): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', labels, ...more },
  spec: { containers: [] },
});
const dying = setOf({ deletionTimestamp: DELETED });

test.each<[string, Stored<appsv1.StatefulSet>, Stored<corev1.Pod>, string]>([
  ['its own', setOf(), podOf('db-0', controlledBy('s')), 'owned'],
  ['an orphan of its name and labels', setOf(), podOf('db-0'), 'adopt'],
  ['an orphan of another name', setOf(), podOf('web-0'), 'none'],
  ['an orphan whose name only begins so', setOf(), podOf('db-x-0'), 'none'],
  ['an orphan without a place', setOf(), podOf('db'), 'none'],
  ['an orphan that is going', setOf(), podOf('db-0', { deletionTimestamp: DELETED }), 'none'],
  ['an orphan, for a set that is going', dying, podOf('db-0'), 'none'],
  ['an orphan, for a set that selects all', setOf({}, {}), podOf('db-0'), 'none'],
  ['one that lost its labels', setOf(), podOf('db-0', { ...controlledBy('s'), labels: {} }), 'release'],
  ['one of another name', setOf(), podOf('web-0', controlledBy('s')), 'release'],
  [
    'one that lost its labels, of a set that is going',
    dying,
    podOf('db-0', { ...controlledBy('s'), labels: {} }),
    'none',
  ],
  ['one of an earlier set of this name', setOf(), podOf('db-0', controlledBy('earlier')), 'none'],
])('%s', (_title, set, pod, expected) => {
  const { owned, actions } = decideMembers(set, [pod]);
  expect([...owned.map(() => 'owned'), ...actions.map(({ type }) => type)]).toEqual(
    expected === 'none' ? [] : [expected],
  );
});

test('revisions without an owner are adopted, unless the set is going', () => {
  const revisionOf = (name: string, more = {}): Stored<appsv1.ControllerRevision> => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', ...more },
    revision: 1,
  });
  const revisions = [
    revisionOf('orphan'),
    revisionOf('own', controlledBy('s')),
    revisionOf('other', controlledBy('x')),
  ];
  expect(adoptRevisions(setOf(), revisions).map(({ object }) => object.metadata.name)).toEqual(['orphan']);
  expect(adoptRevisions(dying, revisions)).toEqual([]);
});
