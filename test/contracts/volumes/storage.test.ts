import {
  StorageBackend,
  volumesnapshotclasses,
  volumesnapshotcontents,
  volumesnapshots,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
} from '@kubewright/cluster';
import { systemClock } from '@kubewright/client';
import { corev1, storagev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { VolumeStory } from './volume-story.ts';

const CONTROLLERS = [
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
] as const;

const DRIVER = 'disk.csi.kubewright.dev';

const backend = new StorageBackend({ clock: systemClock });
const STORAGE = { backend, backoff: { baseMs: 20, maxMs: 200 } };

function storage(transport: () => Transport): void {
  let story: VolumeStory;
  beforeEach(async () => {
    story = await VolumeStory.begin(transport());
  });
  afterEach(() => story.end());

  /** A bound claim of a class, and its volume's handle. */
  const provisioned = async (name: string, storageClassName = 'standard'): Promise<string> => {
    await story.createClaim(name, { storageClassName });
    return handleOf((await story.bound(name)).spec.volumeName);
  };
  const volumeNamed = (name = ''): Promise<corev1.PersistentVolume> =>
    story.client.get(corev1.persistentvolumes, { name });
  const handleOf = async (volumeName = ''): Promise<string> =>
    (await volumeNamed(volumeName)).spec.csi?.volumeHandle ?? '';
  const snapshotOf = (name: string, spec: VolumeSnapshot['spec']): Promise<VolumeSnapshot> =>
    story.client.create(volumesnapshots, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { name, namespace: story.namespace },
      spec,
    });
  const snapshot = async (
    name: string,
    isSo: (snapshot: VolumeSnapshot) => boolean,
  ): Promise<VolumeSnapshot> => {
    const found = await waitForObject(story.client, volumesnapshots, story.key(name), (live) =>
      live === undefined ? false : isSo(live),
    );
    if (found === undefined) throw new Error(`the snapshot ${name} is gone`);
    return found;
  };
  const ready = (name: string): Promise<VolumeSnapshot> =>
    snapshot(name, ({ status }) => status?.readyToUse === true);
  const content = async (
    name: string,
    isSo: (content: VolumeSnapshotContent) => boolean,
  ): Promise<VolumeSnapshotContent> => {
    const found = await waitForObject(story.client, volumesnapshotcontents, { name }, (live) =>
      live === undefined ? false : isSo(live),
    );
    if (found === undefined) throw new Error(`the content ${name} is gone`);
    return found;
  };
  const contentGone = (name: string): Promise<unknown> =>
    waitForObject(story.client, volumesnapshotcontents, { name }, (live) => live === undefined);

  test('a claim without a class gets a volume of its own, which goes with it', async () => {
    await story.createClaim('data', { storageClassName: undefined as never });
    const claim = await story.bound('data');
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
      claimRef: { namespace: story.namespace, name: 'data', uid: claim.metadata.uid },
    });
    expect(backend.volume(`vol-${name}`).sizeBytes).toBe(1024 ** 3);
    await story.removeClaim('data');
    await waitForObject(story.client, corev1.persistentvolumes, { name }, (live) => live === undefined);
    expect(backend.volumes().map(({ handle }) => handle)).not.toContain(`vol-${name}`);
  });

  test('a volume of a class that retains outlives its claim', async () => {
    await story.createClass({ provisioner: DRIVER, reclaimPolicy: 'Retain' });
    const handle = await provisioned('data', story.namespace);
    const { spec } = await story.bound('data');
    backend.write(handle, 'a', '1');
    await story.removeClaim('data');
    await waitForObject(
      story.client,
      corev1.persistentvolumes,
      { name: spec.volumeName ?? '' },
      (live) => live?.status?.phase === 'Released',
    );
    expect(backend.volume(handle).content).toEqual({ a: '1' });
    await story.client.delete(corev1.persistentvolumes, { name: spec.volumeName ?? '' });
  });

  test('what fails is told, and tried again', async () => {
    const parameters = { 'simulate-failures': '2', 'simulate-message': 'disk full' };
    await story.createClass({ provisioner: DRIVER, parameters });
    await provisioned('data', story.namespace);
    const told = (): Promise<readonly string[]> => story.events('PersistentVolumeClaim', 'data');
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
    await story.createClass({ provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer', parameters });
    await story.createClaim('data');
    const choose = (node: string): Promise<unknown> =>
      story.client.patch(corev1.persistentvolumeclaims, story.key('data'), {
        type: 'merge',
        body: { metadata: { annotations: { 'volume.kubernetes.io/selected-node': node } } },
      });
    await choose('full');
    await story.claim(
      'data',
      ({ metadata: { annotations = {} } }) =>
        'volume.kubernetes.io/storage-provisioner' in annotations &&
        !('volume.kubernetes.io/selected-node' in annotations),
    );
    await choose('empty');
    await story.bound('data');
  });

  test('a snapshot keeps what the volume held, and a volume is restored from it', async () => {
    const handle = await provisioned('data');
    backend.write(handle, 'greeting', 'hello');
    await snapshotOf('before', { source: { persistentVolumeClaimName: 'data' } });
    const taken = await ready('before');
    backend.write(handle, 'greeting', 'bye');
    const contentName = `snapcontent-${taken.metadata.uid}`;
    expect(taken.spec.volumeSnapshotClassName).toBe('standard');
    expect(taken.status).toEqual({
      boundVolumeSnapshotContentName: contentName,
      creationTime: expect.stringMatching(/Z$/),
      readyToUse: true,
      restoreSize: '1Gi',
    });
    expect([...(taken.metadata.finalizers ?? [])].sort()).toEqual([
      'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection',
      'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection',
    ]);
    const made = await content(
      contentName,
      ({ metadata }) => metadata.finalizers !== undefined && metadata.annotations === undefined,
    );
    expect(made.spec).toEqual({
      deletionPolicy: 'Delete',
      driver: DRIVER,
      source: { volumeHandle: handle },
      sourceVolumeMode: 'Filesystem',
      volumeSnapshotClassName: 'standard',
      volumeSnapshotRef: {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        namespace: story.namespace,
        name: 'before',
        uid: taken.metadata.uid,
        resourceVersion: expect.any(String),
      },
    });
    expect(made.status).toMatchObject({ readyToUse: true, restoreSize: 1024 ** 3 });
    await story.claim('data', ({ metadata }) => metadata.finalizers?.length === 1);
    const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'before' };
    await story.createClaim('restored', { storageClassName: 'standard', dataSource });
    const restored = await handleOf((await story.bound('restored')).spec.volumeName);
    expect(backend.volume(restored).content).toEqual({ greeting: 'hello' });
    expect(await story.events('VolumeSnapshot', 'before')).toEqual([
      'Normal CreatingSnapshot: Waiting for a snapshot NS/before to be created by the CSI driver.',
      'Normal SnapshotCreated: Snapshot NS/before was successfully created by the CSI driver.',
      'Normal SnapshotReady: Snapshot NS/before is ready to use.',
    ]);
  });

  test('a claim is cloned, and one too small is refused', async () => {
    const handle = await provisioned('data');
    backend.write(handle, 'a', '1');
    const dataSource = { kind: 'PersistentVolumeClaim', name: 'data' };
    await story.createClaim('clone', { storageClassName: 'standard', dataSource });

    const cloned = await handleOf((await story.bound('clone')).spec.volumeName);
    expect(backend.volume(cloned).content).toEqual({ a: '1' });
    await story.createClaim('small', { storageClassName: 'standard', dataSource, size: '1Mi' });
    await expect
      .poll(() => story.events('PersistentVolumeClaim', 'small'))
      .toContain(
        'Warning ProvisioningFailed: failed to provision volume with StorageClass "standard": error, new PVC request must be greater than or equal in size to the specified PVC data source, requested 1048576 but source is 1073741824',
      );
  });

  test('a claim grows, and so does its volume', async () => {
    const handle = await provisioned('data');
    const body = { spec: { resources: { requests: { storage: '3Gi' } } } };
    await story.client.patch(corev1.persistentvolumeclaims, story.key('data'), { type: 'merge', body });
    const grown = await story.claim('data', ({ status }) => status?.capacity?.['storage'] === '3Gi');
    const volume = await volumeNamed(grown.spec.volumeName);
    expect(volume.spec.capacity).toEqual({ storage: '3Gi' });
    expect(backend.volume(handle).sizeBytes).toBe(3 * 1024 ** 3);
    await expect
      .poll(() => story.events('PersistentVolumeClaim', 'data'))
      .toContain('Normal VolumeResizeSuccessful: Resize volume succeeded');
  });

  test('a deleted snapshot goes with its content, as its policy says', async () => {
    await provisioned('data');
    const retaining = story.own('retain');
    await story.client.create(volumesnapshotclasses, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name: retaining },
      driver: DRIVER,
      deletionPolicy: 'Retain',
    });
    const source = { persistentVolumeClaimName: 'data' };
    await snapshotOf('deleted', { source });
    await snapshotOf('retained', { source, volumeSnapshotClassName: retaining });
    const names: string[] = [];
    for (const name of ['deleted', 'retained']) {
      names.push((await ready(name)).status?.boundVolumeSnapshotContentName ?? '');
      await story.client.delete(volumesnapshots, story.key(name));
      await waitForObject(story.client, volumesnapshots, story.key(name), (live) => live === undefined);
    }
    const [deleted = '', retained = ''] = names;
    await contentGone(deleted);
    const kept = await content(retained, () => true);
    const handles = backend.snapshots().map(({ handle }) => handle);
    expect(handles).toContain(kept.status?.snapshotHandle);
    expect(handles).not.toContain(`snap-${deleted.replace('snapcontent', 'snapshot')}`);
    await story.client.delete(volumesnapshotcontents, { name: retained });
    await contentGone(retained);
    expect(backend.snapshots().map(({ handle }) => handle)).toContain(kept.status?.snapshotHandle);
    await story.client.delete(volumesnapshotclasses, { name: retaining });
  });

  test('a snapshot that fails says why, and is ready when it works', async () => {
    await provisioned('data');
    const name = story.own('failing');
    await story.client.create(volumesnapshotclasses, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name },
      driver: DRIVER,
      deletionPolicy: 'Delete',
      parameters: { 'simulate-failures': '4', 'simulate-message': 'busy' },
    });
    await snapshotOf('hard', {
      source: { persistentVolumeClaimName: 'data' },
      volumeSnapshotClassName: name,
    });
    const failed = await snapshot('hard', ({ status }) => status?.error !== undefined);
    expect(failed.status).toMatchObject({
      readyToUse: false,
      error: { message: expect.stringContaining('desc = busy') },
    });
    const done = await ready('hard');
    expect(done.status?.error).toBeUndefined();
    await story.client.delete(volumesnapshotclasses, { name });
  });

  test('a snapshot of no claim says so, and waits for one', async () => {
    await snapshotOf('early', {
      source: { persistentVolumeClaimName: 'data' },
      volumeSnapshotClassName: 'standard',
    });
    const failed = await snapshot('early', ({ status }) => status?.error !== undefined);
    expect(failed.status?.error?.message).toBe(
      'Failed to create snapshot content with error snapshot controller failed to update early on API server: cannot get claim from snapshot',
    );
    await provisioned('data');
    await ready('early');
  });

  test('a content that was there before is bound by the snapshot that names it', async () => {
    const handle = await provisioned('data');
    backend.write(handle, 'a', '1');
    const { handle: snapshotHandle } = await backend.createSnapshot({
      name: story.own('old'),
      volumeHandle: handle,
    });
    const name = story.own('old');
    await story.client.create(volumesnapshotcontents, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name },
      spec: {
        deletionPolicy: 'Retain',
        driver: DRIVER,
        source: { snapshotHandle },
        volumeSnapshotRef: { namespace: story.namespace, name: 'old' },
      },
    });
    await snapshotOf('old', { source: { volumeSnapshotContentName: name } });
    const bound = await ready('old');
    expect(bound.status).toMatchObject({ boundVolumeSnapshotContentName: name, restoreSize: '1Gi' });
    expect((await content(name, () => true)).spec.volumeSnapshotRef?.uid).toBe(bound.metadata.uid);
    await story.client.delete(volumesnapshots, story.key('old'));
    await waitForObject(story.client, volumesnapshots, story.key('old'), (live) => live === undefined);
    await story.client.delete(volumesnapshotcontents, { name });
    await contentGone(name);
    expect(backend.snapshot(snapshotHandle).content).toEqual({ a: '1' });
  });

  test('a content made by hand from a volume, for no snapshot, becomes ready and is deleted by its policy', async () => {
    const handle = await provisioned('data');
    backend.write(handle, 'a', '1');
    const name = story.own('by-hand');
    await story.client.create(volumesnapshotcontents, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name },
      spec: {
        deletionPolicy: 'Delete',
        driver: DRIVER,
        source: { volumeHandle: handle },
        volumeSnapshotClassName: 'standard',
        volumeSnapshotRef: {},
      },
    });
    const made = await content(name, ({ status }) => status?.readyToUse === true);
    const snapshotHandle = made.status?.snapshotHandle ?? '';
    expect(backend.snapshot(snapshotHandle).content).toEqual({ a: '1' });
    await content(
      name,
      ({ metadata }) => metadata.finalizers?.length === 1 && metadata.annotations === undefined,
    );
    await story.client.delete(volumesnapshotcontents, { name });
    await contentGone(name);
    expect(backend.snapshots().map((one) => one.handle)).not.toContain(snapshotHandle);
  });

  test('kubectl’s view of the driver: it, its classes', async () => {
    const { spec } = await story.client.get(storagev1.csidrivers, { name: DRIVER });
    expect(spec.attachRequired).toBe(true);
    const { provisioner } = await story.client.get(storagev1.storageclasses, { name: 'standard' });
    expect(provisioner).toBe(DRIVER);
  });
}

describeClusters('Storage', { controllers: CONTROLLERS, storage: STORAGE }, storage);
