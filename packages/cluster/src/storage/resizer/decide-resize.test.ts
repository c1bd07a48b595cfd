import type { corev1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decideResize, grown } from './decide-resize.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Volume = Stored<corev1.PersistentVolume>;

/** A claim that asks for a size and has one. */
const claimOf = (wanted: string, has: string, phase: 'Bound' | 'Lost' = 'Bound'): Claim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'ns', uid: 'c', resourceVersion: '1' },
  spec: { volumeName: 'pv', resources: { requests: { storage: wanted } } },
  status: { phase, capacity: { storage: has } },
});
const volumeOf = (
  storage: string,
  spec: Partial<corev1.PersistentVolumeSpec> = {},
  madeBy = 'disk',
): Volume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: {
    name: 'pv',
    uid: 'v',
    resourceVersion: '1',
    annotations: { 'pv.kubernetes.io/provisioned-by': madeBy },
  },
  spec: {
    capacity: { storage },
    claimRef: { name: 'data', namespace: 'ns', uid: 'c' },
    csi: { driver: 'disk', volumeHandle: 'h' },
    ...spec,
  },
});
const GIB = 2 ** 30;

test.each<[string, Claim, Volume, string]>([
  ['as large as it asks for', claimOf('1Gi', '1Gi'), volumeOf('1Gi'), 'none'],
  ['written otherwise', claimOf('1024Mi', '1Gi'), volumeOf('1Gi'), 'none'],
  ['that asks for more', claimOf('2Gi', '1Gi'), volumeOf('1Gi'), `expand h ${2 * GIB}`],
  ['that asks for part of a byte', claimOf('1500m', '1'), volumeOf('1'), 'expand h 2'],
  ['whose volume has grown', claimOf('2Gi', '1Gi'), volumeOf('2Gi'), 'claim 2Gi'],
  ['that asks for less', claimOf('1Gi', '2Gi'), volumeOf('2Gi'), 'none'],
  ['that is not bound', claimOf('2Gi', '1Gi', 'Lost'), volumeOf('1Gi'), 'none'],
  ['whose volume is for another', claimOf('2Gi', '1Gi'), volumeOf('1Gi', { claimRef: { uid: 'x' } }), 'none'],
  ["of another driver's volume", claimOf('2Gi', '1Gi'), volumeOf('1Gi', {}, 'other'), 'none'],
])('a claim %s', (_title, claim, volume, expected) => {
  const step = decideResize(claim, volume, 'disk');
  const detail = step.type === 'expand' ? [step.handle, step.sizeBytes] : [];
  const size = step.type === 'claim' ? [step.claim.status?.capacity?.['storage']] : [];
  expect([step.type, ...detail, ...size].join(' ')).toBe(expected);
});

test('a volume that has grown has the size that its claim asks for', () => {
  expect(grown(volumeOf('1Gi'), claimOf('2Gi', '1Gi')).spec.capacity).toEqual({ storage: '2Gi' });
});
