import { type corev1, defined, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decideVolume } from './decide-volume.ts';

type Volume = corev1.PersistentVolume;
type Claim = corev1.PersistentVolumeClaim;

const volumeOf = (
  spec: Partial<corev1.PersistentVolumeSpec>,
  phase?: NonNullable<Volume['status']>['phase'],
): Stored<Volume> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv', uid: 'v', resourceVersion: '1' },
  spec: { claimRef: { name: 'data', namespace: 'ns', uid: 'c' }, ...spec },
  ...(phase === undefined ? {} : { status: { phase } }),
});
const claimOn = (volumeName?: string, spec: corev1.PersistentVolumeClaimSpec = {}): Stored<Claim> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'ns', uid: 'c', resourceVersion: '1' },
  spec: { ...spec, ...defined({ volumeName }) },
});
const reserved = { name: 'data', namespace: 'ns' };
const csi = { driver: 'disk', volumeHandle: 'h' };

test.each<[string, Stored<Volume>, Stored<Claim> | undefined, string, readonly string[]]>([
  ['one that is reserved', volumeOf({ claimRef: reserved }), undefined, 'Free', ['volumePhase Available']],
  ['one whose claim is on it', volumeOf({}), claimOn('pv'), 'Bound', ['volumePhase Bound']],
  ['one whose claim is yet to come', volumeOf({}), claimOn(), 'AsItIs', []],
  ['one whose claim needs another mode', volumeOf({ volumeMode: 'Block' }), claimOn(), 'VolumeMismatch', []],
  ['one whose claim is elsewhere', volumeOf({}), claimOn('other'), 'ClaimIsElsewhere', ['unbind']],
  ['one whose claim is gone', volumeOf({}, 'Bound'), undefined, 'Released', ['volumePhase Released']],
  [
    'a released one that is retained',
    volumeOf({ persistentVolumeReclaimPolicy: 'Retain' }, 'Released'),
    undefined,
    'AsItIs',
    [],
  ],
  [
    'a released one that its driver deletes',
    volumeOf({ persistentVolumeReclaimPolicy: 'Delete', csi }, 'Released'),
    undefined,
    'AsItIs',
    [],
  ],
  [
    'a released one that nobody can delete',
    volumeOf({ persistentVolumeReclaimPolicy: 'Delete', nfs: { server: 's', path: '/' } }, 'Released'),
    undefined,
    'VolumeFailedDelete',
    ['volumePhase Failed'],
  ],
  [
    'a failed one stays so',
    volumeOf({ persistentVolumeReclaimPolicy: 'Delete', nfs: { server: 's', path: '/' } }, 'Failed'),
    undefined,
    'AsItIs',
    [],
  ],
])('%s', (_title, volume, claim, reason, expected) => {
  const decision = decideVolume({ volume, claim });
  const actions = decision.actions.map((action) =>
    'phase' in action ? `${action.type} ${action.phase}` : action.type,
  );
  expect([decision.reason, actions]).toEqual([reason, expected]);
});
