import type { corev1, KubeObject, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decideClaims } from './decide-claims.ts';

const DELETED = '2026-01-01T00:00:00Z';
const controllerOf = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'ns', uid: 'rs', ...metadata },
});
const reference = (uid: string, controller = true) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid, controller }],
});
const podOf = (app: string, more: Partial<Stored<corev1.Pod>['metadata']> = {}): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', uid: 'p', resourceVersion: '1', labels: { app }, ...more },
  spec: { containers: [] },
});
const dying = controllerOf({ deletionTimestamp: DELETED });

test.each<[string, KubeObject, Stored<corev1.Pod>, readonly string[]]>([
  ['its own that matches', controllerOf(), podOf('web', reference('rs')), ['owned']],
  ['its own that matches no more', controllerOf(), podOf('x', reference('rs')), ['release']],
  ['an orphan that matches', controllerOf(), podOf('web'), ['adopt']],
  ['an orphan that does not', controllerOf(), podOf('x'), []],
  ['one whose owner is no controller', controllerOf(), podOf('web', reference('other', false)), ['adopt']],
  ["another's that matches", controllerOf(), podOf('web', reference('other')), []],
  ['an orphan that is going', controllerOf(), podOf('web', { deletionTimestamp: DELETED }), []],
  [
    'its own that is going',
    controllerOf(),
    podOf('web', { ...reference('rs'), deletionTimestamp: DELETED }),
    ['owned'],
  ],
  ['its own, of one that is going', dying, podOf('web', reference('rs')), ['owned']],
  ['its own that matches no more, of one that is going', dying, podOf('x', reference('rs')), []],
  ['an orphan, for one that is going', dying, podOf('web'), []],
])('%s', (_title, controller, pod, expected) => {
  const matches = ({ metadata }: Stored<corev1.Pod>): boolean => metadata.labels?.['app'] === 'web';
  const { owned, actions } = decideClaims(controller, [pod], matches);
  expect([...owned.map(() => 'owned'), ...actions.map(({ type }) => type)]).toEqual(expected);
});
