import type { corev1, Stored, storagev1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decideClaim, type ObservedClaim } from './decide-claim.ts';

type Volume = corev1.PersistentVolume;
type Claim = corev1.PersistentVolumeClaim;

const ONCE: corev1.PersistentVolumeClaimSpec['accessModes'] = ['ReadWriteOnce'];
const BOUND = { 'pv.kubernetes.io/bind-completed': 'yes' };
const claimOf = (
  spec: corev1.PersistentVolumeClaimSpec = {},
  annotations = {},
  status: Claim['status'] = {},
): Stored<Claim> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'ns', uid: 'c', resourceVersion: '1', annotations },
  spec: { accessModes: ONCE, resources: { requests: { storage: '1Gi' } }, ...spec },
  status,
});
const volumeOf = (spec: Partial<corev1.PersistentVolumeSpec> = {}): Stored<Volume> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv', uid: 'v', resourceVersion: '1' },
  spec: { accessModes: ONCE, capacity: { storage: '1Gi' }, storageClassName: '', ...spec },
  status: { phase: 'Available' },
});
const classOf = (
  more: Pick<storagev1.StorageClass, 'volumeBindingMode'> = {},
): Stored<storagev1.StorageClass> => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast', uid: 's', resourceVersion: '1' },
  provisioner: 'disk.example.com',
  ...more,
});
const fast = { storageClassName: 'fast' };
const late = classOf({ volumeBindingMode: 'WaitForFirstConsumer' });
const others = { name: 'other', namespace: 'ns', uid: 'o' };

test.each<[string, Partial<ObservedClaim>, string, readonly string[]]>([
  [
    'one that is bound',
    { claim: claimOf({ volumeName: 'pv' }, BOUND), named: volumeOf() },
    'Bound',
    ['bind'],
  ],
  [
    'one whose volume is gone',
    { claim: claimOf({ volumeName: 'pv' }, BOUND) },
    'ClaimLost',
    ['claimPhase Lost'],
  ],
  [
    'one that is known to be lost',
    { claim: claimOf({ volumeName: 'pv' }, BOUND, { phase: 'Lost' }) },
    'ClaimLost',
    [],
  ],
  [
    'one whose volume is another’s',
    { claim: claimOf({ volumeName: 'pv' }, BOUND), named: volumeOf({ claimRef: others }) },
    'ClaimMisbound',
    ['claimPhase Lost'],
  ],
  [
    'one that names a volume',
    { claim: claimOf({ volumeName: 'pv' }), named: volumeOf() },
    'Binding',
    ['bind'],
  ],
  [
    'one that names a volume that is not there',
    { claim: claimOf({ volumeName: 'pv' }) },
    'NoSuchVolume',
    ['claimPhase Pending'],
  ],
  [
    'one that names another’s',
    { claim: claimOf({ volumeName: 'pv' }), named: volumeOf({ claimRef: others }) },
    'FailedBinding',
    ['claimPhase Pending'],
  ],
  [
    'one that names a volume that is too small',
    { claim: claimOf({ volumeName: 'pv' }), named: volumeOf({ capacity: { storage: '1Mi' } }) },
    'VolumeMismatch',
    ['claimPhase Pending'],
  ],
  [
    'one that a volume fits',
    { claim: claimOf({ storageClassName: '' }), candidates: [volumeOf()] },
    'Binding',
    ['bind'],
  ],
  [
    'one that names no class, where there is a default',
    { defaultClass: classOf() },
    'AssigningClass',
    ['assignClass'],
  ],
  [
    'one that nothing fits',
    { claim: claimOf({ storageClassName: '' }) },
    'FailedBinding',
    ['claimPhase Pending'],
  ],
  [
    'one that waits for its pod',
    { claim: claimOf(fast), storageClass: late },
    'Waiting',
    ['claimPhase Pending'],
  ],
  [
    'one to be provisioned',
    { claim: claimOf(fast), storageClass: classOf() },
    'Provisioning',
    ['askProvisioner'],
  ],
  ['one of a class that is not there', { claim: claimOf(fast) }, 'ProvisioningFailed', []],
])('%s', (_title, observed, reason, expected) => {
  const decision = decideClaim({
    claim: claimOf(),
    named: undefined,
    candidates: [],
    storageClass: undefined,
    defaultClass: undefined,
    waitingPods: [],
    ...observed,
  });
  const actions = decision.actions.map((action) =>
    'phase' in action ? `${action.type} ${action.phase}` : action.type,
  );
  expect([decision.reason, actions]).toEqual([reason, expected]);
});
