import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decideProtection, holdsClaim, protectedBy, type ProtectionStep } from './decide-protection.ts';

const FINALIZER = 'kubernetes.io/pvc-protection';
const claimWith = (
  metadata: Partial<Stored<corev1.PersistentVolumeClaim>['metadata']>,
): Stored<corev1.PersistentVolumeClaim> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'ns', name: 'data', uid: 'u', resourceVersion: '1', ...metadata },
  spec: {},
});
const deletionTimestamp = '2026-01-01T00:00:00Z';
const finalizers = [FINALIZER];

test.each<[string, Partial<Stored<corev1.PersistentVolumeClaim>['metadata']>, boolean, ProtectionStep]>([
  ['a new one', {}, false, 'add'],
  ['a protected one', { finalizers }, true, 'none'],
  ['one that is to go and is used', { finalizers, deletionTimestamp }, true, 'none'],
  ['one that is to go and is not used', { finalizers, deletionTimestamp }, false, 'remove'],
  ['one that is to go and was never protected', { deletionTimestamp }, false, 'none'],
])('%s', (_title, metadata, isUsed, step) => {
  expect(decideProtection(claimWith(metadata), FINALIZER, () => isUsed)).toBe(step);
});

test('the finalizers of others stay', () => {
  const claim = claimWith({ finalizers: ['mine', FINALIZER] });
  expect(protectedBy(claim, FINALIZER, 'remove').metadata.finalizers).toEqual(['mine']);
  expect(protectedBy(claimWith({ finalizers: ['mine'] }), FINALIZER, 'add').metadata.finalizers).toEqual([
    'mine',
    FINALIZER,
  ]);
});

const naming: corev1.Volume = { name: 'v', persistentVolumeClaim: { claimName: 'data' } };
const ephemeral: corev1.Volume = { name: 'scratch', ephemeral: {} };

test.each<
  [
    string,
    Partial<corev1.PodSpec>,
    Partial<Stored<corev1.Pod>['metadata']>,
    Partial<Stored<corev1.PersistentVolumeClaim>['metadata']>,
    boolean,
  ]
>([
  ['a pod that names it', { nodeName: 'a', volumes: [naming] }, {}, {}, true],
  ['one without a node', { volumes: [naming] }, {}, {}, false],
  [
    'one that names another',
    { nodeName: 'a', volumes: [{ ...naming, persistentVolumeClaim: { claimName: 'b' } }] },
    {},
    {},
    false,
  ],
  [
    'one that it was made for',
    { nodeName: 'a', volumes: [ephemeral] },
    {},
    { name: 'user-scratch', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'user', uid: 'u' }] },
    true,
  ],
  [
    'one that it was not made for',
    { nodeName: 'a', volumes: [ephemeral] },
    {},
    { name: 'user-scratch' },
    false,
  ],
  [
    'one that it was made for, shut down',
    { nodeName: 'a', volumes: [ephemeral] },
    { deletionTimestamp, deletionGracePeriodSeconds: 0 },
    { name: 'user-scratch', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'user', uid: 'u' }] },
    false,
  ],
])('%s holds the claim, or does not', (_title, spec, metadata, claim, holds) => {
  const pod: Stored<corev1.Pod> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'ns', name: 'user', uid: 'u', resourceVersion: '1', ...metadata },
    spec: { containers: [], ...spec },
  };
  expect(holdsClaim(pod, claimWith(claim))).toBe(holds);
});
