import assert from 'node:assert/strict';
import {
  type StorageBackend,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumesnapshotclasses,
  volumesnapshotcontents,
  volumesnapshots,
} from '@kubewright/cluster';
import { waitForObject } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { volumeHandles } from './volume-handles.ts';
import type { VolumeStory } from './volume-story.ts';

const DRIVER = 'disk.csi.kubewright.dev';
/** On a content: its snapshot goes when it does. */
const BEING_DELETED = 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted';

/** Snapshots of volumes, and their contents. */
export function snapshotsContract(story: () => VolumeStory, backend: StorageBackend): void {
  const { handleOf, provisioned } = volumeHandles(story);
  const snapshotOf = (name: string, spec: VolumeSnapshot['spec']): Promise<VolumeSnapshot> =>
    story().client.create(volumesnapshots, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { name, namespace: story().namespace },
      spec,
    });
  const snapshot = async (
    name: string,
    isSo: (snapshot: VolumeSnapshot) => boolean,
  ): Promise<VolumeSnapshot> => {
    const found = await waitForObject(story().client, volumesnapshots, story().key(name), (live) =>
      live === undefined ? false : isSo(live),
    );
    assert(found !== undefined, `the snapshot ${name} is gone`);
    return found;
  };
  const ready = (name: string): Promise<VolumeSnapshot> =>
    snapshot(name, ({ status }) => status?.readyToUse === true);
  const content = async (
    name: string,
    isSo: (content: VolumeSnapshotContent) => boolean,
  ): Promise<VolumeSnapshotContent> => {
    const found = await waitForObject(story().client, volumesnapshotcontents, { name }, (live) =>
      live === undefined ? false : isSo(live),
    );
    assert(found !== undefined, `the content ${name} is gone`);
    return found;
  };
  const contentGone = (name: string): Promise<unknown> =>
    waitForObject(story().client, volumesnapshotcontents, { name }, (live) => live === undefined);

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
        namespace: story().namespace,
        name: 'before',
        uid: taken.metadata.uid,
        resourceVersion: expect.any(String),
      },
    });
    expect(made.status).toMatchObject({ readyToUse: true, restoreSize: 1024 ** 3 });
    await story().claim('data', ({ metadata }) => metadata.finalizers?.length === 1);
    const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'before' };
    await story().createClaim('restored', { storageClassName: 'standard', dataSource });
    const restored = await handleOf((await story().bound('restored')).spec.volumeName);
    expect(backend.volume(restored).content).toEqual({ greeting: 'hello' });
    expect(await story().events('VolumeSnapshot', 'before')).toEqual([
      'Normal CreatingSnapshot: Waiting for a snapshot NS/before to be created by the CSI driver.',
      'Normal SnapshotCreated: Snapshot NS/before was successfully created by the CSI driver.',
      'Normal SnapshotReady: Snapshot NS/before is ready to use.',
    ]);
  });

  test('a deleted snapshot goes with its content, as its policy says', async () => {
    await provisioned('data');
    const retaining = story().own('retain');
    await story().client.create(volumesnapshotclasses, {
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
      await story().client.delete(volumesnapshots, story().key(name));
      await waitForObject(story().client, volumesnapshots, story().key(name), (live) => live === undefined);
    }
    const [deleted = '', retained = ''] = names;
    await contentGone(deleted);
    const kept = await content(retained, () => true);
    const handles = backend.snapshots().map(({ handle }) => handle);
    expect(handles).toContain(kept.status?.snapshotHandle);
    expect(handles).not.toContain(`snap-${deleted.replace('snapcontent', 'snapshot')}`);
    await story().client.delete(volumesnapshotcontents, { name: retained });
    await contentGone(retained);
    expect(backend.snapshots().map(({ handle }) => handle)).toContain(kept.status?.snapshotHandle);
    await story().client.delete(volumesnapshotclasses, { name: retaining });
  });

  test('a snapshot that fails says why, and is ready when it works', async () => {
    await provisioned('data');
    const name = story().own('failing');
    await story().client.create(volumesnapshotclasses, {
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
    await story().client.delete(volumesnapshotclasses, { name });
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
      name: story().own('old'),
      volumeHandle: handle,
    });
    const name = story().own('old');
    await story().client.create(volumesnapshotcontents, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name },
      spec: {
        deletionPolicy: 'Retain',
        driver: DRIVER,
        source: { snapshotHandle },
        volumeSnapshotRef: { namespace: story().namespace, name: 'old' },
      },
    });
    await snapshotOf('old', { source: { volumeSnapshotContentName: name } });
    const bound = await ready('old');
    expect(bound.status).toMatchObject({ boundVolumeSnapshotContentName: name, restoreSize: '1Gi' });
    expect((await content(name, () => true)).spec.volumeSnapshotRef?.uid).toBe(bound.metadata.uid);
    await story().client.delete(volumesnapshots, story().key('old'));
    await waitForObject(story().client, volumesnapshots, story().key('old'), (live) => live === undefined);
    await story().client.delete(volumesnapshotcontents, { name });
    await contentGone(name);
    expect(backend.snapshot(snapshotHandle).content).toEqual({ a: '1' });
  });

  test('a content made by hand from a volume, for a snapshot that does not exist, becomes ready and is deleted by its policy', async () => {
    const handle = await provisioned('data');
    backend.write(handle, 'a', '1');
    const name = story().own('by-hand');
    await story().client.create(volumesnapshotcontents, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name, annotations: { [BEING_DELETED]: 'yes' } },
      spec: {
        deletionPolicy: 'Delete',
        driver: DRIVER,
        source: { volumeHandle: handle },
        volumeSnapshotClassName: 'standard',
        volumeSnapshotRef: { kind: 'VolumeSnapshot', namespace: story().namespace, name, uid: name },
      },
    });
    const made = await content(name, ({ status }) => status?.readyToUse === true);
    const snapshotHandle = made.status?.snapshotHandle ?? '';
    expect(backend.snapshot(snapshotHandle).content).toEqual({ a: '1' });
    await content(
      name,
      ({ metadata: { finalizers, annotations = {} } }) =>
        finalizers?.length === 1 && Object.keys(annotations).length === 1,
    );
    await story().client.delete(volumesnapshotcontents, { name });
    await contentGone(name);
    expect(backend.snapshots().map((one) => one.handle)).not.toContain(snapshotHandle);
  });
}
