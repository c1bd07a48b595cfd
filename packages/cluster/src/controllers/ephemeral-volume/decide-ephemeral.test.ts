import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decideEphemeral } from './decide-ephemeral.ts';

const spec: corev1.PersistentVolumeClaimSpec = { accessModes: ['ReadWriteOnce'] };
const scratch: corev1.Volume = {
  name: 'scratch',
  ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec } },
};
const podWith = (
  volumes: readonly corev1.Volume[],
  deletion: { readonly deletionTimestamp?: string } = {},
): Stored<corev1.Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name: 'user', uid: 'u', resourceVersion: '1', ...deletion },
  spec: { containers: [], volumes },
});
const claimOf = (uid: string): Stored<corev1.PersistentVolumeClaim> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'user-v',
    uid: 'c',
    resourceVersion: '1',
    namespace: 'ns',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'user', uid, controller: true }],
  },
  spec: {},
});

test.each<[string, Stored<corev1.Pod>, Stored<corev1.PersistentVolumeClaim> | undefined, readonly object[]]>([
  ['no volumes', podWith([]), undefined, []],
  ['a volume that is no ephemeral one', podWith([{ name: 'a', emptyDir: {} }]), undefined, []],
  ['a claim that is there', podWith([scratch]), claimOf('u'), []],
  ['a pod that is to end', podWith([scratch], { deletionTimestamp: '2026-01-01T00:00:00Z' }), undefined, []],
  [
    'a claim that is missing',
    podWith([scratch]),
    undefined,
    [
      {
        type: 'create',
        volume: 'scratch',
        claim: {
          metadata: {
            namespace: 'ns',
            name: 'user-scratch',
            labels: { a: 'b' },
            ownerReferences: [{ kind: 'Pod', uid: 'u', controller: true }],
          },
          spec,
        },
      },
    ],
  ],
  [
    'a claim of somebody else',
    podWith([scratch]),
    claimOf('other'),
    [
      {
        type: 'fail',
        volume: 'scratch',
        message: 'PVC ns/user-scratch was not created for pod ns/user (pod is not owner)',
      },
    ],
  ],
])('%s', (_title, pod, claim, expected) => {
  const steps = decideEphemeral(pod, () => claim);
  expect(steps).toHaveLength(expected.length);
  expect(steps).toMatchObject(expected);
});
