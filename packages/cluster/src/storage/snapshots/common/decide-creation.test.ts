import { type corev1, defined, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { VolumeSnapshot, VolumeSnapshotClass } from '../api.ts';
import { CLAIM_FINALIZER, IS_DEFAULT_CLASS } from '../marks.ts';
import { decideClass, decideCreation } from './decide-creation.ts';
import type { ObservedSnapshot, SnapshotStep } from './snapshot-step.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;

const snapshotOf = (volumeSnapshotClassName?: string): Stored<VolumeSnapshot> => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { namespace: 'ns', name: 'snap', uid: 's', resourceVersion: '7' },
  spec: {
    source: { persistentVolumeClaimName: 'data' },
    ...defined({ volumeSnapshotClassName }),
  },
});
const claimOf = (metadata: Partial<Claim['metadata']> = {}, phase: 'Bound' | 'Pending' = 'Bound'): Claim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'ns', name: 'data', uid: 'c', resourceVersion: '1', ...metadata },
  spec: { volumeName: 'pv' },
  status: { phase },
});
const volumeOf = (spec: corev1.PersistentVolumeSpec = {}): Stored<corev1.PersistentVolume> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv', uid: 'v', resourceVersion: '1' },
  spec: { claimRef: { uid: 'c' }, csi: { driver: 'disk', volumeHandle: 'h' }, ...spec },
});
const classOf = (name: string, driver = 'disk', isDefault = true): Stored<VolumeSnapshotClass> => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: {
    name,
    uid: name,
    resourceVersion: '1',
    ...(isDefault ? { annotations: { [IS_DEFAULT_CLASS]: 'true' } } : {}),
  },
  driver,
  deletionPolicy: 'Delete',
});
const held = { finalizers: [CLAIM_FINALIZER] };
const observed = (more: Partial<ObservedSnapshot>): ObservedSnapshot => ({
  snapshot: snapshotOf(),
  content: undefined,
  claim: claimOf(),
  volume: volumeOf(),
  classes: [classOf('daily')],
  claimIsUsed: false,
  isBeingRestored: false,
  ...more,
});
function summary(step: SnapshotStep | undefined): string {
  if (step?.type === 'fail') return `${step.reason}: ${step.message.replace(/^.* with error /, '')}`;
  if (step?.type === 'updateSnapshot') return `class ${step.snapshot.spec.volumeSnapshotClassName}`;
  return step?.type ?? 'go on';
}

const NO_DEFAULT = 'SetDefaultSnapshotClassFailed:';

test.each<[string, Partial<ObservedSnapshot>, string]>([
  ['named', { snapshot: snapshotOf('daily') }, 'go on'],
  [
    'named and gone',
    { snapshot: snapshotOf('weekly') },
    'GetSnapshotClassFailed: volumesnapshotclass.snapshot.storage.k8s.io "weekly" not found',
  ],
  ['the default', {}, 'class daily'],
  [
    "the default of the volume's driver",
    { classes: [classOf('other', 'other'), classOf('daily')] },
    'class daily',
  ],
  [
    'none that is the default',
    { classes: [classOf('daily', 'disk', false)] },
    `${NO_DEFAULT} cannot find default snapshot class`,
  ],
  [
    'two defaults',
    { classes: [classOf('a'), classOf('b')] },
    `${NO_DEFAULT} 2 default snapshot classes were found`,
  ],
  [
    'of a claim that is not bound',
    { claim: claimOf({}, 'Pending') },
    `${NO_DEFAULT} the PVC data is not yet bound to a PV, will not attempt to take a snapshot`,
  ],
  [
    'of a volume that is gone',
    { volume: undefined },
    `${NO_DEFAULT} failed to retrieve PV pv from the API server`,
  ],
  [
    "of another claim's volume",
    { volume: volumeOf({ claimRef: { uid: 'x' } }) },
    `${NO_DEFAULT} claim in dataSource not bound or invalid`,
  ],
])('the class of a snapshot: %s', (_title, more, expected) => {
  expect(summary(decideClass(observed(more)))).toBe(expected);
});

const CREATE = 'SnapshotContentCreationFailed:';
const snapshot = snapshotOf('daily');

test.each<[string, Partial<ObservedSnapshot>, string]>([
  ['the claim is held first', { snapshot }, 'updateClaim'],
  ['then the content is made', { snapshot, claim: claimOf(held) }, 'createContent'],
  [
    'no claim',
    { snapshot, claim: undefined },
    `${CREATE} snapshot controller failed to update snap on API server: cannot get claim from snapshot`,
  ],
  [
    'a claim that is being deleted',
    { snapshot, claim: claimOf({ deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    `${CREATE} snapshot controller failed to update data on API server: cannot add finalizer on claim because it is being deleted`,
  ],
  [
    'a held claim that is being deleted',
    { snapshot, claim: claimOf({ ...held, deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    'createContent',
  ],
  [
    'a volume of no driver',
    { snapshot, claim: claimOf(held), volume: { ...volumeOf(), spec: { claimRef: { uid: 'c' } } } },
    `${CREATE} failed to get input parameters to create snapshot snap: "cannot find CSI PersistentVolumeSource for volume pv"`,
  ],
])('a snapshot is taken: %s', (_title, more, expected) => {
  expect(summary(decideCreation(observed(more)))).toBe(expected);
});

test('the content names its snapshot, its volume and its class', () => {
  expect(decideCreation(observed({ snapshot, claim: claimOf(held) }))).toMatchObject({
    content: {
      metadata: { name: 'snapcontent-s' },
      spec: {
        volumeSnapshotRef: { namespace: 'ns', name: 'snap', uid: 's', resourceVersion: '7' },
        source: { volumeHandle: 'h' },
        volumeSnapshotClassName: 'daily',
        deletionPolicy: 'Delete',
        driver: 'disk',
        sourceVolumeMode: 'Filesystem',
      },
    },
    note: {
      reason: 'CreatingSnapshot',
      message: 'Waiting for a snapshot ns/snap to be created by the CSI driver.',
    },
  });
});
