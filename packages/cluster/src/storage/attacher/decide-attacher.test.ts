import type { corev1, storagev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { attacherFinalizer, decideAttacher, mayRelease } from './decide-attacher.ts';

const HELD = { finalizers: [attacherFinalizer('disk.csi')] };
const DYING = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const attachmentOf = (
  metadata: Partial<Stored<storagev1.VolumeAttachment>['metadata']> = {},
  { attached = false, attacher = 'disk.csi' } = {},
): Stored<storagev1.VolumeAttachment> => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: 'csi-1', uid: 'a', resourceVersion: '1', ...metadata },
  spec: { attacher, nodeName: 'n', source: { persistentVolumeName: 'pv' } },
  status: { attached },
});
const volumeOf = (
  metadata: Partial<Stored<corev1.PersistentVolume>['metadata']> = {},
): Stored<corev1.PersistentVolume> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv', uid: 'v', resourceVersion: '1', ...metadata },
  spec: { csi: { driver: 'disk.csi', volumeHandle: 'h' } },
});
const attached = { attached: true };

test.each<[string, Stored<storagev1.VolumeAttachment>, Stored<corev1.PersistentVolume> | undefined, object]>([
  ['that is new', attachmentOf(), volumeOf(), { type: 'hold' }],
  ['that is held, of a volume that is not', attachmentOf(HELD), volumeOf(), { type: 'holdVolume' }],
  ['that is held, of a volume that is', attachmentOf(HELD), volumeOf(HELD), { type: 'attach', handle: 'h' }],
  ['that is attached', attachmentOf(HELD, attached), volumeOf(HELD), { type: 'none' }],
  [
    'of a volume that is gone',
    attachmentOf(HELD),
    undefined,
    { type: 'fail', message: 'persistentvolume "pv" not found' },
  ],
  [
    'that is to go',
    attachmentOf({ ...HELD, ...DYING }, attached),
    volumeOf(HELD),
    { type: 'detach', handle: 'h' },
  ],
  [
    'that is to go before it came',
    attachmentOf({ ...HELD, ...DYING }),
    volumeOf(HELD),
    { type: 'detach', handle: 'h' },
  ],
  [
    'that is to go, of a volume that is gone',
    attachmentOf({ ...HELD, ...DYING }, attached),
    undefined,
    { type: 'release' },
  ],
  ['that was released', attachmentOf(DYING, attached), volumeOf(HELD), { type: 'none' }],
  ["of another driver's", attachmentOf({}, { attacher: 'other' }), volumeOf(), { type: 'none' }],
])('an attachment %s', (_title, attachment, volume, expected) => {
  expect(decideAttacher({ attachment, volume }, 'disk.csi')).toMatchObject(expected);
});

test.each<[string, Stored<corev1.PersistentVolume>, number, boolean]>([
  ['that is attached nowhere and being deleted', volumeOf({ ...HELD, ...DYING }), 0, true],
  ['that is attached', volumeOf({ ...HELD, ...DYING }), 1, false],
  ['that stays', volumeOf(HELD), 0, false],
  ['that is not held', volumeOf(DYING), 0, false],
])('whether a volume %s is released', (_title, volume, attachments, expected) => {
  expect(mayRelease(volume, attachments, 'disk.csi')).toBe(expected);
});
