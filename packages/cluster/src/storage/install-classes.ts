import { type Client, isAlreadyExists, type Ref } from '@kubewright/client';
import { type KubeObject, storagev1 } from '@kubewright/kube';
import { type VolumeSnapshotClass, volumesnapshotclasses } from './snapshots/api.ts';

/** The name of the classes that come with the driver. */
const STANDARD = 'standard';

/** What a cluster with the driver has: the driver, a default class of storage and one of snapshots. Theirs are left alone. */
export async function installClasses(client: Client, driver: string): Promise<void> {
  await createOnce(client, storagev1.csidrivers, csiDriver(driver));
  await createOnce(client, storagev1.storageclasses, storageClass(driver));
  await createOnce(client, volumesnapshotclasses, snapshotClass(driver));
}

async function createOnce<T extends KubeObject>(client: Client, ref: Ref<T>, object: T): Promise<void> {
  try {
    await client.create(ref, object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function csiDriver(name: string): storagev1.CSIDriver {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name },
    spec: { attachRequired: true, podInfoOnMount: false, volumeLifecycleModes: ['Persistent'] },
  };
}

function storageClass(provisioner: string): storagev1.StorageClass {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: STANDARD, annotations },
    provisioner,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: true,
  };
}

function snapshotClass(driver: string): VolumeSnapshotClass {
  const annotations = { 'snapshot.storage.kubernetes.io/is-default-class': 'true' };
  return {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: STANDARD, annotations },
    driver,
    deletionPolicy: 'Delete',
  };
}
