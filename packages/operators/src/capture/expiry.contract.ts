import { ignoreNotFound, type Ref } from '@kubewright/client';
import { corev1, storagev1, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS } from './api/annotations.ts';
import { CONTENT_CHUNKS } from './api/content-chunk.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from './api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { SNAPSHOT_CLASSES, SNAPSHOT_CONTENTS } from './api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from './api/volume-restore-request.ts';
import { captureParts } from './controller.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { createSnapshotRequest, finished, gone } from './testing/make-requests.ts';
import { boundClaim, handleOf, nameSnapshotClass } from './testing/volumes.ts';

/** What a test sees of the storage system. */
type Disks = {
  snapshots(): readonly { readonly handle: string }[];
  write(handle: string, path: string, text: string): void;
  volume(handle: string): { readonly content: Readonly<Record<string, string>> };
  /** All calls, as `DeleteSnapshot HANDLE`. */
  readonly log: readonly string[];
};

const REQUESTS: readonly Ref[] = [
  MANIFEST_CAPTURE_REQUESTS,
  VOLUME_CAPTURE_REQUESTS,
  VOLUME_RESTORE_REQUESTS,
];
/** An annotation of the original, which decides nothing here. */
const TTL = { 'storage.deckhouse.io/ttl': '1000h', 'state-snapshotter.deckhouse.io/ttl': '1000h' };

/** What is left of requests after their TTL, on a cluster that collects garbage and has a CSI driver. */
export function expiryContract(transport: () => Transport, disks: Disks): void {
  describe('after their TTL', () => {
    const env = { REQUEST_TTL: '0' };
    const anyKind = { apiGroups: [''], resources: ['configmaps'] };
    const capture = useOperator(transport, captureParts, { anyKind, env });
    const { namespace } = capture;
    beforeAll(() => admissionChecks(capture));

    /** As the standard classes, but that snapshots are retained. */
    const makeRetainingClass = async (): Promise<void> => {
      const { provisioner } = await capture.admin.get(storagev1.storageclasses, { name: 'standard' });
      await capture.admin.create(storagev1.storageclasses, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'retaining', annotations: { [ANNOTATIONS.snapshotClass]: 'retaining' } },
        provisioner,
      });
      await capture.admin.create(SNAPSHOT_CLASSES, {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshotClass',
        metadata: { name: 'retaining' },
        driver: provisioner,
        deletionPolicy: 'Retain',
      });
    };
    const snapshotOf = async (name: string, storageClass: string) => {
      const claim = await boundClaim(capture.admin, namespace, name, storageClass);
      await createSnapshotRequest(capture, name, claim.metadata);
      const { status } = await finished(capture, VOLUME_CAPTURE_REQUESTS, name);
      const content = status?.data?.artifactRef.name ?? '';
      const { status: reported } = await capture.admin.get(SNAPSHOT_CONTENTS, { name: content });
      return { content, handle: reported?.snapshotHandle ?? expect.fail('there is no snapshot') };
    };
    const detached = async () => {
      const claim = await boundClaim(capture.admin, namespace, 'detached');
      const handle = await handleOf(capture.admin, claim);
      disks.write(handle, 'orders', '41');
      const { name, uid } = claim.metadata;
      await capture.admin.create(VOLUME_CAPTURE_REQUESTS, {
        apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
        kind: 'VolumeCaptureRequest',
        metadata: { namespace, name },
        spec: { mode: 'Detach', target: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid } },
      });
      const { status } = await finished(capture, VOLUME_CAPTURE_REQUESTS, name);
      return { volume: status?.data?.artifactRef.name ?? '', handle };
    };
    const captured = async (name: string, target: string) => {
      const request = {
        apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
        kind: 'ManifestCaptureRequest',
        metadata: { namespace, name, annotations: TTL },
        spec: { targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: target }] },
      };
      await capture.admin.create(MANIFEST_CAPTURE_REQUESTS, request);
      const done = await finished(capture, MANIFEST_CAPTURE_REQUESTS, name);
      expect(done.metadata.annotations).toMatchObject(TTL);
      return done.status;
    };
    const keepersOf = async (uids: ReadonlySet<string>) =>
      (await capture.admin.list(OBJECT_KEEPERS)).items.filter(({ spec }) =>
        uids.has(spec.followObjectRef?.uid ?? ''),
      );

    test('CAP-48 CAP-111 CAP-112 CAP-117 CAP-118 requests go, however they ended, and all that was made for them, but not what is retained', async () => {
      await nameSnapshotClass(capture.admin);
      await makeRetainingClass();
      const metadata = { namespace, name: 'one' };
      await capture.admin.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      const good = await captured('good', 'one');
      const bad = await captured('bad', 'nowhere');
      expect([good, bad].map((status) => status?.conditions?.[0]?.status)).toEqual(['True', 'False']);
      const { status } = await capture.admin.get(MANIFEST_CHECKPOINTS, { name: good?.checkpointName ?? '' });
      const deleted = await snapshotOf('deleted', 'standard');
      const retained = await snapshotOf('retained', 'retaining');
      const off = await detached();
      const requests = (
        await Promise.all(REQUESTS.map((ref) => capture.admin.list(ref, { namespace })))
      ).flatMap(({ items }) => items);
      expect(requests).toHaveLength(5);
      const uids = new Set(requests.map((request) => request.metadata.uid));
      expect(await keepersOf(uids)).toHaveLength(5);

      // They were kept for ever: the next process judges them by another TTL.
      env.REQUEST_TTL = '1s';
      await capture.restart();
      const left = async () =>
        (await Promise.all(REQUESTS.map((ref) => capture.admin.list(ref, { namespace })))).flatMap(
          ({ items }) => items.map(({ metadata: { name } }) => name),
        );
      await expect.poll(left).toEqual([]);
      await gone(capture.admin, MANIFEST_CHECKPOINTS, good?.checkpointName ?? '');
      await gone(capture.admin, CONTENT_CHUNKS, status?.chunks?.[0]?.name ?? '');
      await gone(capture.admin, SNAPSHOT_CONTENTS, deleted.content);
      await gone(capture.admin, SNAPSHOT_CONTENTS, retained.content);
      await gone(capture.admin, corev1.persistentvolumes, off.volume);
      await expect.poll(() => keepersOf(uids)).toEqual([]);

      const deletes = (handle: string) => disks.log.filter((call) => call === `DeleteSnapshot ${handle}`);
      expect([deletes(deleted.handle), deletes(retained.handle)].map(({ length }) => length)).toEqual([1, 0]);
      const handles = disks.snapshots().map(({ handle }) => handle);
      expect([handles.includes(deleted.handle), handles.includes(retained.handle)]).toEqual([false, true]);
      expect(disks.volume(off.handle).content).toEqual({ orders: '41' });
      // What was captured is as it was.
      expect(await ignoreNotFound(capture.admin.get(corev1.configmaps, metadata))).toBeDefined();
    });
  });
}
