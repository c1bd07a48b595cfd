import { ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, type Stored, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS } from './api/annotations.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { captureParts } from './controller.ts';
import { NAMES } from './requests/names.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { finished, gone } from './testing/make-requests.ts';
import { makeClaim, makeVolume } from './testing/static-volumes.ts';
import { boundClaim, handleOf } from './testing/volumes.ts';

/** What a test sees of the storage system. */
type Disks = {
  write(handle: string, path: string, text: string): void;
  volume(handle: string): { readonly content: Readonly<Record<string, string>> };
};

/** Volumes without their claims, on a cluster that binds and protects both, and collects garbage. */
export function detachContract(transport: () => Transport, disks: Disks): void {
  describe('mode Detach', () => {
    const capture = useOperator(transport, captureParts);
    const { namespace } = capture;
    beforeAll(() => admissionChecks(capture));

    const request = (name: string, claim: Stored, deadlineSeconds = 300) =>
      capture.admin.create(VOLUME_CAPTURE_REQUESTS, {
        apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
        kind: 'VolumeCaptureRequest',
        metadata: { namespace, name },
        spec: {
          mode: 'Detach',
          target: {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            name: claim.metadata.name,
            uid: claim.metadata.uid,
          },
          deadlineSeconds,
        },
      });
    const volumeOf = ({ spec }: corev1.PersistentVolumeClaim) =>
      capture.admin.get(corev1.persistentvolumes, { name: spec.volumeName ?? '' });
    const ended = async (name: string) => {
      const { status, metadata } = await finished(capture, VOLUME_CAPTURE_REQUESTS, name);
      return { uid: metadata.uid, status, reason: status?.conditions?.[0]?.reason };
    };
    const deleting = (claim: Stored) =>
      waitForObject(
        capture.admin,
        corev1.persistentvolumeclaims,
        { namespace, name: claim.metadata.name },
        (live) => live?.metadata.deletionTimestamp !== undefined,
      );

    test('CAP-39 CAP-40 CAP-47 CAP-48 CAP-D15 the claim goes, its volume stays for nobody else, and goes with the request; the data stays', async () => {
      const claim = await boundClaim(capture.admin, namespace, 'data');
      const handle = await handleOf(capture.admin, claim);
      disks.write(handle, 'orders', '41');
      const before = await volumeOf(claim);
      expect(before.spec.persistentVolumeReclaimPolicy).toBe('Delete');

      await request('off', claim);
      const { uid, status, reason } = await ended('off');
      expect(reason).toBe('Completed');
      const { name } = before.metadata;
      expect(status?.data?.artifactRef).toEqual({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        name,
        uid: before.metadata.uid,
      });
      const live = capture.admin.get(corev1.persistentvolumeclaims, keyOf(claim));
      expect(await ignoreNotFound(live)).toBeUndefined();
      const keeper = await capture.admin.get(OBJECT_KEEPERS, { name: NAMES.detachKeeper(uid) });
      const after = await volumeOf(claim);
      expect(after).toMatchObject({
        metadata: {
          uid: before.metadata.uid,
          annotations: { [ANNOTATIONS.detached]: 'true', [ANNOTATIONS.requestUid]: uid },
          ownerReferences: [{ kind: 'ObjectKeeper', uid: keeper.metadata.uid, controller: true }],
        },
        spec: {
          persistentVolumeReclaimPolicy: 'Retain',
          claimRef: { namespace, name: NAMES.detachKeeper(uid), uid },
        },
      });

      // Neither the name of the old claim nor that in its claimRef gets the volume.
      for (const again of ['data', NAMES.detachKeeper(uid)])
        expect((await boundClaim(capture.admin, namespace, again)).spec.volumeName).not.toBe(name);
      expect((await volumeOf(claim)).spec.claimRef).toEqual(after.spec.claimRef);

      await capture.admin.delete(VOLUME_CAPTURE_REQUESTS, { namespace, name: 'off' });
      await gone(capture.admin, OBJECT_KEEPERS, keeper.metadata.name);
      await gone(capture.admin, corev1.persistentvolumes, name);
      expect(disks.volume(handle).content).toEqual({ orders: '41' });
    });

    test('CAP-41 CAP-47 CAP-D25 a claim that a pod uses is waited for; a new claim of its name is left alone', async () => {
      const claim = await boundClaim(capture.admin, namespace, 'used');
      const pod = { namespace, name: 'user' };
      await capture.admin.create(corev1.pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: pod,
        spec: {
          nodeName: 'far-away',
          containers: [{ name: 'main', image: 'any' }],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'used' } }],
        },
      });
      await request('used', claim);
      await deleting(claim);
      const during = await volumeOf(claim);
      expect(during.spec.claimRef?.uid).toBe(claim.metadata.uid);
      expect(during.metadata.ownerReferences).toBeUndefined();

      await capture.admin.delete(corev1.pods, pod, { gracePeriodSeconds: 0 });
      await waitForObject(
        capture.admin,
        corev1.persistentvolumeclaims,
        { namespace, name: 'used' },
        (live) => live === undefined,
      );
      const next = await boundClaim(capture.admin, namespace, 'used');
      expect((await ended('used')).reason).toBe('Completed');
      const still = await capture.admin.get(corev1.persistentvolumeclaims, keyOf(next));
      expect(still.metadata.uid).toBe(next.metadata.uid);
      expect(still.metadata.deletionTimestamp).toBeUndefined();
      expect((await volumeOf(still)).spec.persistentVolumeReclaimPolicy).toBe('Delete');
    });

    test('CAP-42 CAP-47 CAP-D25 after a crash while its claim goes it releases the volume that it began with, whatever has the name since', async () => {
      const held = await boundClaim(capture.admin, namespace, 'crashed');
      const hold = ['example.com/hold', ...(held.metadata.finalizers ?? [])];
      const claim = await capture.admin.patch(corev1.persistentvolumeclaims, keyOf(held), {
        type: 'merge',
        body: { metadata: { finalizers: hold } },
      });
      await request('crashed', claim);
      await deleting(claim);
      await capture.stop();
      await capture.admin.patch(corev1.persistentvolumeclaims, keyOf(claim), {
        type: 'merge',
        body: { metadata: { finalizers: null } },
      });
      await waitForObject(
        capture.admin,
        corev1.persistentvolumeclaims,
        keyOf(claim),
        (live) => live === undefined,
      );
      const next = await boundClaim(capture.admin, namespace, 'crashed');
      const before = await volumeOf(next);
      await capture.restart();
      const { uid, reason, status } = await ended('crashed');
      expect(reason).toBe('Completed');
      expect(status?.data?.artifactRef.name).toBe(claim.spec.volumeName);
      expect((await volumeOf(claim)).spec.claimRef).toMatchObject({ name: NAMES.detachKeeper(uid), uid });
      expect(await capture.admin.get(corev1.persistentvolumeclaims, keyOf(next))).toEqual(next);
      expect((await volumeOf(next)).spec).toEqual(before.spec);
    });

    test('CAP-44 CAP-46 a volume that is bound to nothing, and a claim that has none, are left as they are', async () => {
      const name = `${namespace}-free`;
      const volume = await makeVolume(capture.admin, name, { storageClassName: 'another' });
      const metadata = { namespace, name: 'free' };
      const claim = await makeClaim(capture.admin, metadata, { volumeName: name });
      await request('free', claim);
      expect((await ended('free')).reason).toBe('Conflict');
      const unbound = await makeClaim(capture.admin, { namespace, name: 'unbound' });
      await request('unbound', unbound);
      expect((await ended('unbound')).reason).toBe('InternalError');
      const { spec } = await capture.admin.get(corev1.persistentvolumes, { name });
      expect(spec).toEqual(volume.spec);
      for (const { metadata: was } of [claim, unbound]) {
        const { metadata: is } = await capture.admin.get(corev1.persistentvolumeclaims, {
          namespace,
          name: was.name,
        });
        expect([is.uid, is.deletionTimestamp]).toEqual([was.uid, undefined]);
      }
    });

    test("CAP-41 one that is used too long: the request fails, and the volume is nobody else's", async () => {
      const held = await boundClaim(capture.admin, namespace, 'held');
      const hold = { metadata: { finalizers: ['example.com/hold', ...(held.metadata.finalizers ?? [])] } };
      const claim = await capture.admin.patch(corev1.persistentvolumeclaims, keyOf(held), {
        type: 'merge',
        body: hold,
      });
      await request('held', claim, 2);
      expect((await ended('held')).reason).toBe('DeadlineExceeded');
      const { metadata, spec } = await volumeOf(claim);
      expect(metadata.ownerReferences).toBeUndefined();
      expect(spec.claimRef?.uid).toBe(claim.metadata.uid);
      expect(spec.persistentVolumeReclaimPolicy).toBe('Retain');
      await capture.admin.patch(corev1.persistentvolumeclaims, keyOf(claim), {
        type: 'merge',
        body: { metadata: { finalizers: null } },
      });
    });

    test('CAP-43 CAP-45 what is not to be detached is left as it is', async () => {
      const claim = await boundClaim(capture.admin, namespace, 'owned');
      const volume = await volumeOf(claim);
      const owner = await capture.admin.get(corev1.namespaces, { name: namespace });
      const { apiVersion, kind, metadata } = owner;
      const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
      const body = { metadata: { ownerReferences: [reference] } };
      const key = { name: volume.metadata.name };
      const owned = await capture.admin.patch(corev1.persistentvolumes, key, { type: 'merge', body });
      await request('owned', claim);
      expect((await ended('owned')).reason).toBe('Conflict');
      expect(await capture.admin.get(corev1.persistentvolumes, key)).toEqual(owned);
      expect(await capture.admin.get(corev1.persistentvolumeclaims, keyOf(claim))).toEqual(claim);

      await request('missing', { ...claim, metadata: { ...claim.metadata, name: 'nowhere' } });
      expect((await ended('missing')).reason).toBe('NotFound');
    });
  });
}
