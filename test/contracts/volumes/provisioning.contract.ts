import type { StorageBackend } from '@kubewright/cluster';
import { corev1, storagev1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { volumeHandles } from './volume-handles.ts';
import type { VolumeStory } from './volume-story.ts';

const DRIVER = 'disk.csi.kubewright.dev';

/** Volumes that the driver makes for claims, clones and grows. */
export function provisioningContract(story: () => VolumeStory, backend: StorageBackend): void {
  const { handleOf, provisioned, volumeNamed } = volumeHandles(story);

  test('a claim without a class gets a volume of its own, which goes with it', async () => {
    await story().createClaim('data', { storageClassName: undefined as never });
    const claim = await story().bound('data');
    const name = `pvc-${claim.metadata.uid}`;
    const volume = await volumeNamed(name);
    expect(claim.spec).toMatchObject({ storageClassName: 'standard', volumeName: name });
    expect(volume.metadata.annotations).toEqual({
      'pv.kubernetes.io/provisioned-by': DRIVER,
      'volume.kubernetes.io/provisioner-deletion-secret-name': '',
      'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
    });
    expect(volume.metadata.finalizers).toEqual([
      'external-provisioner.volume.kubernetes.io/finalizer',
      'kubernetes.io/pv-protection',
    ]);
    expect(volume.spec).toMatchObject({
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      csi: { driver: DRIVER, volumeHandle: `vol-${name}`, fsType: 'ext4' },
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: { namespace: story().namespace, name: 'data', uid: claim.metadata.uid },
    });
    expect(backend.volume(`vol-${name}`).sizeBytes).toBe(1024 ** 3);
    await story().removeClaim('data');
    await waitForObject(story().client, corev1.persistentvolumes, { name }, (live) => live === undefined);
    expect(backend.volumes().map(({ handle }) => handle)).not.toContain(`vol-${name}`);
  });

  test('a volume of a class that retains outlives its claim', async () => {
    await story().createClass({ provisioner: DRIVER, reclaimPolicy: 'Retain' });
    const handle = await provisioned('data', story().namespace);
    const { spec } = await story().bound('data');
    backend.write(handle, 'a', '1');
    await story().removeClaim('data');
    await waitForObject(
      story().client,
      corev1.persistentvolumes,
      { name: spec.volumeName ?? '' },
      (live) => live?.status?.phase === 'Released',
    );
    expect(backend.volume(handle).content).toEqual({ a: '1' });
    await story().client.delete(corev1.persistentvolumes, { name: spec.volumeName ?? '' });
  });

  test('what fails is told, and tried again', async () => {
    const parameters = { 'simulate-failures': '2', 'simulate-message': 'disk full' };
    await story().createClass({ provisioner: DRIVER, parameters });
    await provisioned('data', story().namespace);
    const told = (): Promise<readonly string[]> => story().events('PersistentVolumeClaim', 'data');
    await expect
      .poll(told)
      .toEqual([
        expect.stringContaining('Normal ExternalProvisioning'),
        'Normal Provisioning: External provisioner is provisioning volume for claim "NS/data"',
        expect.stringMatching(/^Normal ProvisioningSucceeded: Successfully provisioned volume pvc-/),
        'Warning ProvisioningFailed: failed to provision volume with StorageClass "NS": rpc error: code = Internal desc = disk full',
      ]);
  });

  test('a class that waits gets its volume when a node is chosen, and another choice where there is no space', async () => {
    const parameters = { 'simulate-failures': '1', 'simulate-code': 'ResourceExhausted' };
    await story().createClass({ provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer', parameters });
    await story().createClaim('data');
    const choose = (node: string): Promise<unknown> =>
      story().client.patch(corev1.persistentvolumeclaims, story().key('data'), {
        type: 'merge',
        body: { metadata: { annotations: { 'volume.kubernetes.io/selected-node': node } } },
      });
    await choose('full');
    await story().claim(
      'data',
      ({ metadata: { annotations = {} } }) =>
        'volume.kubernetes.io/storage-provisioner' in annotations &&
        !('volume.kubernetes.io/selected-node' in annotations),
    );
    await choose('empty');
    await story().bound('data');
  });

  test('a claim is cloned, and one too small is refused', async () => {
    const handle = await provisioned('data');
    backend.write(handle, 'a', '1');
    const dataSource = { kind: 'PersistentVolumeClaim', name: 'data' };
    await story().createClaim('clone', { storageClassName: 'standard', dataSource });

    const cloned = await handleOf((await story().bound('clone')).spec.volumeName);
    expect(backend.volume(cloned).content).toEqual({ a: '1' });
    await story().createClaim('small', { storageClassName: 'standard', dataSource, size: '1Mi' });
    await expect
      .poll(() => story().events('PersistentVolumeClaim', 'small'))
      .toContain(
        'Warning ProvisioningFailed: failed to provision volume with StorageClass "standard": error, new PVC request must be greater than or equal in size to the specified PVC data source, requested 1048576 but source is 1073741824',
      );
  });

  test('a claim grows, and so does its volume', async () => {
    const handle = await provisioned('data');
    const body = { spec: { resources: { requests: { storage: '3Gi' } } } };
    await story().client.patch(corev1.persistentvolumeclaims, story().key('data'), { type: 'merge', body });
    const grown = await story().claim('data', ({ status }) => status?.capacity?.['storage'] === '3Gi');
    const volume = await volumeNamed(grown.spec.volumeName);
    expect(volume.spec.capacity).toEqual({ storage: '3Gi' });
    expect(backend.volume(handle).sizeBytes).toBe(3 * 1024 ** 3);
    await expect
      .poll(() => story().events('PersistentVolumeClaim', 'data'))
      .toContain('Normal VolumeResizeSuccessful: Resize volume succeeded');
  });

  test('kubectl’s view of the driver: it, its classes', async () => {
    const { spec } = await story().client.get(storagev1.csidrivers, { name: DRIVER });
    expect(spec.attachRequired).toBe(true);
    const { provisioner } = await story().client.get(storagev1.storageclasses, { name: 'standard' });
    expect(provisioner).toBe(DRIVER);
  });
}
