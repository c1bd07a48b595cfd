import type { storagev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decideProvision, PROVISIONER_FINALIZER } from './decide-provision.ts';
import type { Claim, ObservedClaim, ProvisionStep } from './provision-step.ts';

const ASKED = { 'volume.kubernetes.io/storage-provisioner': 'disk' };
const CHOSEN = { ...ASKED, 'volume.kubernetes.io/selected-node': 'n' };

const claimOf = (spec: Claim['spec'] = {}, metadata: Partial<Claim['metadata']> = {}): Claim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'data',
    namespace: 'ns',
    uid: 'c',
    resourceVersion: '7',
    annotations: ASKED,
    ...metadata,
  },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const classOf = (more: Partial<storagev1.StorageClass> = {}): Stored<storagev1.StorageClass> => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  provisioner: 'disk',
  ...more,
  metadata: { name: 'fast', uid: 'k', resourceVersion: '1' },
});
const late = classOf({ volumeBindingMode: 'WaitForFirstConsumer' });

const decided = (more: Partial<ObservedClaim>): ProvisionStep =>
  decideProvision(
    {
      claim: claimOf(),
      storageClass: classOf(),
      isMade: false,
      source: { type: 'none' },
      topology: {},
      ...more,
    },
    'disk',
  );

test.each<[string, Partial<ObservedClaim>, string]>([
  ['that asks for a volume', {}, 'create pvc-c 1073741824'],
  [
    'that asks for part of a byte',
    { claim: claimOf({ resources: { requests: { storage: '1500m' } } }) },
    'create pvc-c 2',
  ],
  ['that asks for nothing', { claim: claimOf({ resources: {} }) }, 'create pvc-c 0'],
  ['without a class', { storageClass: undefined }, 'NotOurs'],
  ["of another driver's class", { storageClass: classOf({ provisioner: 'other' }) }, 'NotOurs'],
  ['that nobody asked a driver for', { claim: claimOf({}, { annotations: {} }) }, 'NotOurs'],
  ['that has a volume', { claim: claimOf({ volumeName: 'pv' }) }, 'NotOurs'],
  ['that is being deleted', { claim: claimOf({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }) }, 'NotOurs'],
  ['whose volume is made', { isMade: true }, 'Made'],
  ['that waits for its first pod', { storageClass: late }, 'WaitsForNode'],
  [
    'whose pod has a node',
    { storageClass: late, claim: claimOf({}, { annotations: CHOSEN }) },
    'create pvc-c 1073741824',
  ],
  ['that somebody else fills', { source: { type: 'foreign' } }, 'ForeignSource'],
  ['of a source that is none', { source: { type: 'unfit', why: 'too small' } }, 'fail too small'],
])('a claim %s', (_title, more, expected) => {
  const step = decided(more);
  const words = {
    none: () => (step.type === 'none' ? step.reason : ''),
    fail: () => (step.type === 'fail' ? `fail ${step.message}` : ''),
    create: () => (step.type === 'create' ? `create ${step.order.name} ${step.order.sizeBytes}` : ''),
  };
  expect(words[step.type]()).toBe(expected);
});

test('the storage system gets the source and its own parameters alone', () => {
  const parameters = { tier: 'ssd', 'csi.storage.k8s.io/fstype': 'xfs' };
  const step = decided({
    storageClass: classOf({ parameters }),
    source: { type: 'known', source: { snapshot: 'snap' } },
  });
  expect(step).toMatchObject({ order: { parameters: { tier: 'ssd' }, source: { snapshot: 'snap' } } });
});

test.each<[string, Partial<ObservedClaim>, object]>([
  [
    'of a plain claim',
    {},
    {
      metadata: { name: 'pvc-c', finalizers: [PROVISIONER_FINALIZER] },
      spec: {
        capacity: { storage: '1Gi' },
        csi: { driver: 'disk', volumeHandle: 'h', fsType: 'ext4' },
        claimRef: { namespace: 'ns', name: 'data', uid: 'c', resourceVersion: '7' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'fast',
        accessModes: ['ReadWriteOnce'],
      },
    },
  ],
  [
    'that is to be retained is not held',
    { storageClass: classOf({ reclaimPolicy: 'Retain' }) },
    { metadata: { finalizers: [] }, spec: { persistentVolumeReclaimPolicy: 'Retain' } },
  ],
  [
    'of blocks has no file system',
    { claim: claimOf({ volumeMode: 'Block' }) },
    { spec: { volumeMode: 'Block', csi: { volumeHandle: 'h' } } },
  ],
  [
    'that is reached from a zone',
    { topology: { zone: 'z' } },
    {
      spec: {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['z'] }] }],
          },
        },
      },
    },
  ],
])('the volume %s', (_title, more, expected) => {
  const step = decided(more);
  expect(step.type === 'create' ? step.volume('h') : undefined).toMatchObject(expected);
});
