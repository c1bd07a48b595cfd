import { expect, test } from 'vitest';
import { stored } from '../testing/requests.ts';
import { newRestoreRequest, requestedStorage, sizedFor } from './claim-source.ts';

const GIB = 2 ** 30;
const snapshotOf = (restoreSize: number) => ({
  ...stored({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name: 'snap', annotations: { 'storage-foundation.deckhouse.io/capture-request': 'shop/x' } },
    spec: { driver: 'disk', deletionPolicy: 'Delete', volumeSnapshotRef: {}, source: {} },
  } as const),
  status: { readyToUse: true, snapshotHandle: 'snap-1', restoreSize },
});
const claim = (storage: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { resources: { requests: { storage } }, storageClassName: 'fast', volumeName: 'pv' },
});

test('CAP-240 a claim that requests less than its snapshot holds, because its driver had rounded up, requests as much', () => {
  const sizes = ['500M', '1Gi', '3Gi', '1500Mi'].map((storage) =>
    requestedStorage(sizedFor(claim(storage), snapshotOf(2 * GIB))),
  );
  expect(sizes).toEqual(['2Gi', '2Gi', '3Gi', '2Gi']);
});

test('a request for a claim names where its snapshot was taken only in another namespace', () => {
  const source = snapshotOf(GIB);
  expect(newRestoreRequest(claim('1Gi'), 'shop', source).spec.sourceRef).not.toHaveProperty('namespace');
  const { spec } = newRestoreRequest(claim('1Gi'), 'shop-2', source);
  expect(spec.sourceRef).toMatchObject({ name: 'snap', namespace: 'shop' });
  expect(spec.pvcTemplate.spec).toEqual({
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'fast',
  });
});
