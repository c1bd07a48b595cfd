import type { Client } from '@kubewright/client';
import { corev1, storagev1, type Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { ANNOTATIONS } from '../api/annotations.ts';
import { SNAPSHOT_CLASSES, SNAPSHOT_CONTENTS, type SnapshotContentStatus } from '../api/snapshots.ts';

/** A driver that nobody runs: tests report what it would. */
export const DRIVER = 'disk.example.com';
/** The StorageClass and the VolumeSnapshotClass of its volumes. */
export const CLASS = 'by-hand';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type VolumeSpec = NonNullable<corev1.PersistentVolume['spec']>;

export async function makeClass(
  admin: Client,
  name = CLASS,
  annotations: Readonly<Record<string, string>> = { [ANNOTATIONS.snapshotClass]: name },
): Promise<void> {
  const storageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations },
    provisioner: DRIVER,
  } as const;
  await admin.apply(storagev1.storageclasses, storageClass, { fieldManager: 'test' });
}

export async function makeSnapshotClass(admin: Client, name = CLASS, driver = DRIVER): Promise<void> {
  const snapshotClass = {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name },
    driver,
    deletionPolicy: 'Delete',
  } as const;
  await admin.apply(SNAPSHOT_CLASSES, snapshotClass, { fieldManager: 'test' });
}

export function makeVolume(
  admin: Client,
  name: string,
  spec: Partial<VolumeSpec> = {},
): Promise<Stored<corev1.PersistentVolume>> {
  return admin.create(corev1.persistentvolumes, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: CLASS,
      csi: { driver: DRIVER, volumeHandle: `handle-${name}` },
      persistentVolumeReclaimPolicy: 'Retain',
      ...spec,
    },
  });
}

export function makeClaim(
  admin: Client,
  metadata: { readonly namespace: string; readonly name: string },
  spec: Partial<corev1.PersistentVolumeClaimSpec> = {},
): Promise<Claim> {
  return admin.create(corev1.persistentvolumeclaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata,
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: CLASS,
      ...spec,
    },
  });
}

/** A claim and its volume, made for each other. */
export async function makeBoundClaim(
  admin: Client,
  metadata: { readonly namespace: string; readonly name: string },
): Promise<Claim> {
  const volumeName = `${metadata.namespace}-${metadata.name}`;
  await makeVolume(admin, volumeName, { claimRef: { ...metadata, apiVersion: 'v1', kind: CLAIM } });
  await makeClaim(admin, metadata, { volumeName });
  const bound = await waitForObject(
    admin,
    corev1.persistentvolumeclaims,
    metadata,
    (claim) => claim?.status?.phase === 'Bound',
  );
  if (bound === undefined) throw new TypeError('the claim is gone');
  return bound;
}

const CLAIM = 'PersistentVolumeClaim';

/** What the driver's sidecar would report of a snapshot. */
export async function reportSnapshot(
  admin: Client,
  name: string,
  status: SnapshotContentStatus,
): Promise<void> {
  const patch = { type: 'merge', body: { status } } as const;
  await admin.patch(SNAPSHOT_CONTENTS, { name }, patch, { subresource: 'status' });
}

/** Lets a content go that is being deleted, as the driver's sidecar would. */
export async function releaseSnapshot(admin: Client, name: string): Promise<void> {
  const body = { metadata: { finalizers: null } };
  await admin.patch(SNAPSHOT_CONTENTS, { name }, { type: 'merge', body });
}
