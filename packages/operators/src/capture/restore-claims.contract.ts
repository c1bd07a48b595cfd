import { isForbidden } from '@kubewright/client';
import { corev1, storagev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS } from './api/annotations.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS, type VolumeRestoreRequest } from './api/volume-restore-request.ts';
import { captureParts } from './controller.ts';
import { NAMES } from './requests/names.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { createSnapshotRequest, finished, gone } from './testing/make-requests.ts';
import { boundClaim, nameSnapshotClass } from './testing/volumes.ts';

/** What a test sees of the storage system. */
type Disks = {
  volumes(): readonly { readonly handle: string }[];
  /** As `CreateVolume pvc-UID` and `DeleteVolume vol-pvc-UID`. */
  readonly calls: ReadonlySet<string>;
};

/** With this parameter in the class, the response to the first order of a volume is lost. */
export const LOSE_RESPONSE = 'lose-response';

/** Who a provisioner is that has every right but those of the operator. */
const PROVISIONER = { username: 'system:serviceaccount:kube-system:csi-provisioner', groups: [] };

/** What a provisioner makes of the claims of VolumeRestoreRequests. */
export function restoreClaimsContract(transport: () => Transport, disks: Disks): void {
  describe('restoring a claim', () => {
    const capture = useOperator(transport, captureParts);
    const { namespace } = capture;
    let source = '';

    beforeAll(async () => {
      await admissionChecks(capture);
      await nameSnapshotClass(capture.admin);
      const { metadata } = await boundClaim(capture.admin, namespace, 'data');
      await createSnapshotRequest(capture, 'snap', metadata);
      const { status } = await finished(capture, VOLUME_CAPTURE_REQUESTS, 'snap');
      source = status?.data?.artifactRef.name ?? '';
    });

    /** A class of the driver that fails or is slow as its parameters say. */
    const makeClass = async (name: string, parameters: Readonly<Record<string, string>>): Promise<void> => {
      const { provisioner } = await capture.admin.get(storagev1.storageclasses, { name: 'standard' });
      await capture.admin.create(storagev1.storageclasses, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name, annotations: { [ANNOTATIONS.snapshotClass]: 'standard' } },
        provisioner,
        parameters: { 'simulate-operation': 'CreateVolume', ...parameters },
      });
    };
    const restore = (
      name: string,
      spec: Partial<VolumeRestoreRequest['spec']> = {},
    ): Promise<VolumeRestoreRequest> =>
      capture.admin.create(VOLUME_RESTORE_REQUESTS, {
        apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
        kind: 'VolumeRestoreRequest',
        metadata: { namespace, name },
        spec: {
          sourceRef: { kind: 'VolumeSnapshotContent', name: source },
          pvcTemplate: { metadata: { name }, spec: { storageClassName: name } },
          ...spec,
        },
      });
    const claimNamed = async (name: string) => {
      const claim = await waitForObject(
        capture.admin,
        corev1.persistentvolumeclaims,
        { namespace, name },
        (live) => live !== undefined,
      );
      return claim ?? expect.fail('there is no claim');
    };
    const volumesOf = (uid: string) => disks.volumes().filter(({ handle }) => handle.endsWith(uid));

    test('CAP-56 CAP-D5 what the provisioner cannot make ends the request as RestoreFailed, with its reason', async () => {
      await makeClass('impossible', {
        'simulate-failures': 'always',
        'simulate-code': 'OutOfRange',
        'simulate-message': 'no disk is that large',
      });
      await restore('impossible');
      const { status } = await finished(capture, VOLUME_RESTORE_REQUESTS, 'impossible');
      expect(status?.conditions).toMatchObject([
        {
          reason: 'RestoreFailed',
          message: expect.stringContaining('OutOfRange desc = no disk is that large'),
        },
      ]);
    });

    test('CAP-56 what it may make later is waited for', async () => {
      await makeClass('later', { 'simulate-failures': '3', 'simulate-code': 'Unavailable' });
      await restore('later');
      const { status } = await finished(capture, VOLUME_RESTORE_REQUESTS, 'later');
      expect(status?.conditions).toMatchObject([{ status: 'True', reason: 'Completed' }]);
    });

    test('CAP-58 CAP-D22 a volume whose making was not reported is found again by its name: there is one', async () => {
      await makeClass('unheard', { [LOSE_RESPONSE]: 'true' });
      await restore('unheard');
      await finished(capture, VOLUME_RESTORE_REQUESTS, 'unheard');
      const { metadata, spec } = await claimNamed('unheard');
      expect(volumesOf(metadata.uid)).toEqual([
        expect.objectContaining({ handle: `vol-${spec.volumeName}` }),
      ]);
    });

    test('CAP-59 CAP-D22 a request that goes while its volume is made takes the volume along', async () => {
      await makeClass('long', { 'simulate-delay-ms': '500' });
      await restore('long', { pvcRetention: 'WithRequest' });
      const { uid } = (await claimNamed('long')).metadata;
      await expect.poll(() => disks.calls.has(`CreateVolume pvc-${uid}`), { timeout: 30_000 }).toBe(true);
      await capture.admin.delete(VOLUME_RESTORE_REQUESTS, { namespace, name: 'long' });
      await waitForObject(
        capture.admin,
        corev1.persistentvolumeclaims,
        { namespace, name: 'long' },
        (live) => live === undefined,
        { timeoutMs: 90_000 },
      );
      const isDeleted = () => disks.calls.has(`DeleteVolume vol-pvc-${uid}`);
      await expect.poll(isDeleted, { timeout: 30_000 }).toBe(true);
      await gone(capture.admin, corev1.persistentvolumes, `pvc-${uid}`);
      await expect.poll(() => volumesOf(uid), { timeout: 30_000 }).toEqual([]);
    });

    const restoredClaim = async (name: string, spec: Partial<VolumeRestoreRequest['spec']>) => {
      await restore(name, spec);
      const { metadata, status } = await finished(capture, VOLUME_RESTORE_REQUESTS, name);
      const claim = await claimNamed(name);
      expect(status).toMatchObject({
        conditions: [{ status: 'True', reason: 'Completed' }],
        pvcRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace,
          name,
          uid: claim.metadata.uid,
        },
      });
      return { claim, keeper: NAMES.restoreKeeper(metadata.uid) };
    };
    const template = (name: string, storage?: string) => ({
      pvcTemplate: {
        metadata: { name },
        spec: {
          storageClassName: 'standard',
          ...(storage !== undefined && { resources: { requests: { storage } } }),
        },
      },
    });

    test('CAP-49 CAP-61 a claim may be larger than its snapshot, and gets a volume of the size that it requests', async () => {
      const { claim } = await restoredClaim('larger', template('larger', '3Gi'));
      const volume = await capture.admin.get(corev1.persistentvolumes, { name: claim.spec.volumeName ?? '' });
      expect([claim.status?.capacity?.['storage'], volume.spec.capacity?.['storage']]).toEqual([
        '3Gi',
        '3Gi',
      ]);
    });

    test('CAP-64 its claim stays when the request goes, or goes with it, as the request says', async () => {
      const kept = await restoredClaim('kept', template('kept'));
      const taken = await restoredClaim('taken', { ...template('taken'), pvcRetention: 'WithRequest' });
      for (const name of ['kept', 'taken'])
        await capture.admin.delete(VOLUME_RESTORE_REQUESTS, { namespace, name });
      await gone(capture.admin, OBJECT_KEEPERS, kept.keeper);
      await gone(capture.admin, OBJECT_KEEPERS, taken.keeper);
      await waitForObject(
        capture.admin,
        corev1.persistentvolumeclaims,
        { namespace, name: 'taken' },
        (live) => live === undefined,
        { timeoutMs: 90_000 },
      );
      await gone(capture.admin, corev1.persistentvolumes, taken.claim.spec.volumeName ?? '');
      const left = await claimNamed('kept');
      expect([left.metadata.uid, left.metadata.deletionTimestamp]).toEqual([
        kept.claim.metadata.uid,
        undefined,
      ]);
      const volume = await capture.admin.get(corev1.persistentvolumes, { name: left.spec.volumeName ?? '' });
      expect(volume.status?.phase).toBe('Bound');
    });

    test('CAP-63 a provisioner cannot write the status of a request', async () => {
      const { metadata } = await restore('unwritten');
      const body = { status: { completionTimestamp: '2026-01-01T00:00:00Z' } };
      const write = capture.as(PROVISIONER).patch(
        VOLUME_RESTORE_REQUESTS,
        { namespace, name: metadata.name },
        { type: 'merge', body },
        {
          subresource: 'status',
        },
      );
      await expect(write).rejects.toSatisfy(isForbidden);
    });
  });
}
