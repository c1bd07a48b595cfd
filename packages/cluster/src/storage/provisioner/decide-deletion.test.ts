import { type corev1, defined } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { PROVISIONER_FINALIZER } from './decide-provision.ts';
import { decideDeletion, type ObservedVolume } from './decide-deletion.ts';

type Phase = NonNullable<NonNullable<corev1.PersistentVolume['status']>['phase']>;
type Looks = {
  readonly phase?: Phase;
  readonly held?: boolean;
  readonly dying?: true;
  readonly policy?: 'Delete' | 'Retain';
  readonly madeBy?: string;
  readonly csi?: corev1.CSIPersistentVolumeSource | undefined;
};

/** A volume that the provisioner holds unless `looks` say otherwise. */
function volumeOf(looks: Looks): ObservedVolume['volume'] {
  const { phase = 'Released', held = true, dying, policy = 'Delete', madeBy } = looks;
  const csi = 'csi' in looks ? looks.csi : { driver: 'disk', volumeHandle: 'h' };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: 'pv',
      uid: 'v',
      resourceVersion: '1',
      ...(held ? { finalizers: [PROVISIONER_FINALIZER] } : {}),
      ...(dying ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      ...(madeBy === undefined ? {} : { annotations: { 'pv.kubernetes.io/provisioned-by': madeBy } }),
    },
    spec: { persistentVolumeReclaimPolicy: policy, ...defined({ csi }) },
    status: { phase },
  };
}

test.each<[string, Looks, readonly string[], string]>([
  ['that is bound and held', { phase: 'Bound' }, [], 'none'],
  ['that is bound and not held', { phase: 'Bound', held: false }, [], 'protect'],
  ['that is bound and being deleted', { phase: 'Bound', dying: true }, [], 'none'],
  ['that is free', { phase: 'Available' }, [], 'none'],
  ['that is released', {}, [], 'delete h'],
  ['that is released and attached', {}, ['n'], 'fail persistentvolume pv is still attached to node n'],
  ['that is released and being deleted', { dying: true }, [], 'delete h'],
  ['that is deleted already', { dying: true, held: false }, [], 'none'],
  ['that is retained', { policy: 'Retain', held: false }, [], 'none'],
  ['that is to be retained from now on', { policy: 'Retain' }, [], 'release'],
  ['that another driver made', { madeBy: 'other' }, [], 'none'],
  ['of no driver', { csi: undefined }, [], 'none'],
])('a volume %s', (_title, looks, attachedTo, expected) => {
  const step = decideDeletion({ volume: volumeOf(looks), attachedTo }, 'disk');
  const detail = step.type === 'delete' ? [step.handle] : step.type === 'fail' ? [step.message] : [];
  expect([step.type, ...detail].join(' ')).toBe(expected);
});
