import { ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, storagev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS } from './api/annotations.ts';
import { CONTENT_CHUNKS } from './api/content-chunk.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from './api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { SNAPSHOT_CLASSES, SNAPSHOT_CONTENTS } from './api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { captureParts } from './controller.ts';
import { readCheckpoint } from './manifests/read-checkpoint.ts';
import { NAMES } from './requests/names.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import {
  createManifestRequest,
  createSnapshotRequest,
  finished,
  gone,
  type Requester,
} from './testing/make-requests.ts';
import { runCommand } from './testing/run-command.ts';
import { boundClaim, nameSnapshotClass } from './testing/volumes.ts';

/** Somebody else's finalizer. */
const HOLD = 'example.com/hold';
const ANY_KIND = { apiGroups: [''], resources: ['configmaps'] };

/** What a test sees of the storage system. */
type Disks = { snapshots(): readonly { readonly handle: string }[] };

/** Who takes what along, on a cluster that collects garbage, ends namespaces and has a CSI driver. */
export function lifetimeContract(transport: () => Transport, disks: Disks): void {
  describe('what is captured lives', () => {
    const env = { REQUEST_TTL: '0' };
    const capture = useOperator(transport, captureParts, { anyKind: ANY_KIND, env });
    const { namespace } = capture;
    beforeAll(() => admissionChecks(capture));

    const writeConfig = (where: string, name: string) =>
      capture.admin.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: where, name },
      });
    const target = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name });
    const capturedBy = async (requester: Requester, name: string) => {
      await createManifestRequest(requester, name, [target('one')]);
      const { metadata, status } = await finished(requester, MANIFEST_CAPTURE_REQUESTS, name);
      const { checkpointName = '' } = status ?? {};
      const checkpoint = await capture.admin.get(MANIFEST_CHECKPOINTS, { name: checkpointName });
      return {
        keeper: NAMES.manifestKeeper(metadata.uid),
        checkpoint: checkpointName,
        chunk: checkpoint.status?.chunks?.[0]?.name ?? '',
      };
    };

    /** Volumes of this class have snapshots that are not ready for a day. */
    const makeSlowClass = async (): Promise<void> => {
      const { provisioner } = await capture.admin.get(storagev1.storageclasses, { name: 'standard' });
      await capture.admin.create(storagev1.storageclasses, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'slow', annotations: { [ANNOTATIONS.snapshotClass]: 'slow' } },
        provisioner,
      });
      const snapshotClass = {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshotClass',
        metadata: { name: 'slow' },
        driver: provisioner,
        deletionPolicy: 'Delete',
        parameters: { 'simulate-ready-ms': '86400000' },
      } as const;
      await capture.admin.create(SNAPSHOT_CLASSES, snapshotClass);
    };

    const makeNamespace = async (name: string): Promise<Requester> => {
      const metadata = { name };
      await capture.admin.create(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata,
        spec: {},
      });
      return { admin: capture.admin, namespace: name };
    };

    test('CAP-22 no longer than its request: one that is deleted while it is pending leaves nothing but what others hold', async () => {
      await makeSlowClass();
      const { metadata: claim } = await boundClaim(capture.admin, namespace, 'slow', 'slow');
      const { metadata } = await createSnapshotRequest(capture, 'pending', claim);
      const name = NAMES.snapshotContent(metadata.uid);
      const pending = await waitForObject(
        capture.admin,
        SNAPSHOT_CONTENTS,
        { name },
        (content) => content?.status?.readyToUse === false && content.metadata.finalizers !== undefined,
      );
      const handle = pending?.status?.snapshotHandle;
      expect(disks.snapshots().map((snapshot) => snapshot.handle)).toContain(handle);
      const body = [{ op: 'add', path: '/metadata/finalizers/-', value: HOLD }];
      await capture.admin.patch(SNAPSHOT_CONTENTS, { name }, { type: 'json', body });

      await capture.admin.delete(VOLUME_CAPTURE_REQUESTS, { namespace, name: 'pending' });
      await gone(capture.admin, OBJECT_KEEPERS, NAMES.captureKeeper(metadata.uid));
      const held = await waitForObject(
        capture.admin,
        SNAPSHOT_CONTENTS,
        { name },
        (content) => content === undefined || content.metadata.finalizers?.join() === HOLD,
        { timeoutMs: 90_000 },
      );
      expect(held?.metadata).toMatchObject({
        uid: pending?.metadata.uid,
        deletionTimestamp: expect.any(String),
      });
      expect(disks.snapshots().map((snapshot) => snapshot.handle)).not.toContain(handle);
      const release = { metadata: { finalizers: null } };
      await capture.admin.patch(SNAPSHOT_CONTENTS, { name }, { type: 'merge', body: release });
      await gone(capture.admin, SNAPSHOT_CONTENTS, name);
      const keepers = (await capture.admin.list(OBJECT_KEEPERS)).items;
      expect(keepers.filter(({ spec }) => spec.followObjectRef?.uid === metadata.uid)).toEqual([]);
    });

    test('CAP-107 no longer than its namespace: that goes with its requests, and all that was made for them is collected', async () => {
      const doomed = await makeNamespace(`${namespace}-doomed`);
      await nameSnapshotClass(capture.admin);
      await writeConfig(doomed.namespace, 'one');
      const { keeper, checkpoint, chunk } = await capturedBy(doomed, 'all');
      const { metadata: claim } = await boundClaim(capture.admin, doomed.namespace, 'data');
      await createSnapshotRequest(doomed, 'snap', claim);
      const snap = await finished(doomed, VOLUME_CAPTURE_REQUESTS, 'snap');
      const content = snap.status?.data?.artifactRef.name ?? '';
      expect(await capture.admin.get(SNAPSHOT_CONTENTS, { name: content })).toBeDefined();

      await capture.admin.delete(corev1.namespaces, { name: doomed.namespace });
      await gone(capture.admin, OBJECT_KEEPERS, keeper);
      await gone(capture.admin, OBJECT_KEEPERS, NAMES.captureKeeper(snap.metadata.uid));
      await gone(capture.admin, MANIFEST_CHECKPOINTS, checkpoint);
      await gone(capture.admin, CONTENT_CHUNKS, chunk);
      await gone(capture.admin, SNAPSHOT_CONTENTS, content);
      await gone(capture.admin, corev1.namespaces, doomed.namespace);
    });

    test('CAP-87 CAP-D13 apart from others: requests of which namespace and name together are the same have their own', async () => {
      const [short, long] = [await makeNamespace(`${namespace}-a`), await makeNamespace(`${namespace}-a-b`)];
      for (const place of [short, long]) await writeConfig(place.namespace, 'one');
      const made = [await capturedBy(short, 'b-c'), await capturedBy(long, 'c')];
      expect(new Set(made.map(({ keeper }) => keeper)).size).toBe(2);
      const [first, other] = made;
      await capture.admin.delete(MANIFEST_CAPTURE_REQUESTS, { namespace: short.namespace, name: 'b-c' });
      await gone(capture.admin, CONTENT_CHUNKS, first?.chunk ?? '');
      expect(await readCheckpoint(capture.admin, other?.checkpoint ?? '')).toHaveLength(1);
      for (const place of [short, long])
        await capture.admin.delete(corev1.namespaces, { name: place.namespace });
    });

    test('CAP-87 CAP-D13 apart from the next one of its name, which is made at once', async () => {
      await writeConfig(namespace, 'again');
      const targets = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'again' }];
      const key = { namespace, name: 'again' };
      const old = await createManifestRequest(capture, 'again', targets);
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'again');
      await capture.admin.delete(MANIFEST_CAPTURE_REQUESTS, key);
      const next = await createManifestRequest(capture, 'again', targets);
      const done = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'again');
      expect(done.metadata.uid).toBe(next.metadata.uid);
      expect(done.status?.conditions).toMatchObject([{ status: 'True', reason: 'Completed' }]);
      expect(done.status?.checkpointName).not.toBe(status?.checkpointName);
      await gone(capture.admin, OBJECT_KEEPERS, NAMES.manifestKeeper(old.metadata.uid));
      await gone(capture.admin, MANIFEST_CHECKPOINTS, status?.checkpointName ?? '');
      expect(await readCheckpoint(capture.admin, done.status?.checkpointName ?? '')).toHaveLength(1);
      await capture.admin.delete(MANIFEST_CAPTURE_REQUESTS, key);
    });

    test('CAP-106 CAP-D19 longer than its request, if somebody has adopted it; a second adopter is rejected', async () => {
      await writeConfig(namespace, 'one');
      const { keeper, checkpoint } = await capturedBy(capture, 'kept');
      const keep = () => runCommand(capture, transport(), ['keep', checkpoint], { for: '1h' });
      const kept = async () => {
        const { metadata } = await capture.admin.get(MANIFEST_CHECKPOINTS, { name: checkpoint });
        return metadata.ownerReferences;
      };

      const both = await Promise.allSettled([keep(), keep()]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const owners = await kept();
      expect(owners).toMatchObject([{ kind: 'ObjectKeeper', controller: true }]);
      await expect(keep()).rejects.toThrow(`already belongs to ObjectKeeper ${owners?.[0]?.name}`);
      const keepers = (await capture.admin.list(OBJECT_KEEPERS)).items;
      const names = keepers.map(({ metadata }) => metadata.name);
      expect(names.filter((name) => name.startsWith('keep-'))).toEqual([owners?.[0]?.name]);

      // From now on requests expire, and the garbage collector comes by once more: with what is captured later.
      env.REQUEST_TTL = '1s';
      await capture.restart();
      await admissionChecks(capture);
      await gone(capture.admin, OBJECT_KEEPERS, keeper);
      const later = await createManifestRequest(capture, 'later', [target('one')]);
      await waitForObject(
        capture.admin,
        MANIFEST_CAPTURE_REQUESTS,
        keyOf(later),
        (live) => live === undefined,
      );
      await gone(capture.admin, MANIFEST_CHECKPOINTS, NAMES.checkpoint(later.metadata.uid));
      const request = capture.admin.get(MANIFEST_CAPTURE_REQUESTS, { namespace, name: 'kept' });
      expect(await ignoreNotFound(request)).toBeUndefined();
      expect(await kept()).toEqual(owners);
      expect(await readCheckpoint(capture.admin, checkpoint)).toHaveLength(1);
    });
  });
}
