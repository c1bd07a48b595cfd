import { isInvalid } from '@kubewright/client';
import { corev1, type Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from './api/volume-capture-request.ts';
import { createSnapshotRequest, finished } from './testing/make-requests.ts';
import {
  makeBoundClaim,
  makeClaim,
  makeClass,
  makeSnapshotClass,
  makeVolume,
} from './testing/static-volumes.ts';
import { contentsOf, keepersOf, useStaticVolumes } from './testing/use-static-volumes.ts';

/** Claims of which no snapshot can be taken. */
export function snapshotSourcesContract(transport: () => Transport): void {
  describe('a claim', () => {
    const capture = useStaticVolumes(transport);
    const { namespace } = capture;

    const ended = (name: string) => finished(capture, VOLUME_CAPTURE_REQUESTS, name);

    /** In the place of `csi`. */
    const LOCAL = { hostPath: { path: '/nowhere' }, csi: undefined } as never;
    const ofClass = async (name: string, make: () => Promise<void>): Promise<void> => {
      await make();
      const volumeName = `${namespace}-${name}`;
      await makeVolume(capture.admin, volumeName, { storageClassName: name });
      await makeClaim(capture.admin, { namespace, name }, { volumeName, storageClassName: name });
    };
    /** What is wrong with the claim `name`, and how its request ends. */
    const FAULTS: readonly (readonly [string, string, (name: string) => Promise<unknown>, string])[] = [
      [
        'CAP-8 that is not bound',
        'unbound',
        (name) => makeClaim(capture.admin, { namespace, name }),
        'InternalError PersistentVolumeClaim unbound is not bound',
      ],
      [
        'CAP-9 whose volume is not there',
        'homeless',
        (name) => makeClaim(capture.admin, { namespace, name }, { volumeName: `${namespace}-nowhere` }),
        'NotFound PersistentVolume',
      ],
      [
        'CAP-10 whose volume is of no CSI driver',
        'local',
        async (name) => {
          const volumeName = `${namespace}-${name}`;
          await makeVolume(capture.admin, volumeName, LOCAL);
          await makeClaim(capture.admin, { namespace, name }, { volumeName });
        },
        'InternalError PersistentVolume',
      ],
      [
        'CAP-11 without a class',
        'classless',
        async (name) => {
          const volumeName = `${namespace}-${name}`;
          await makeVolume(capture.admin, volumeName, { storageClassName: '' });
          await makeClaim(capture.admin, { namespace, name }, { volumeName, storageClassName: '' });
        },
        'InternalError the claim has no storageClassName',
      ],
      [
        'CAP-12 of a class that names no VolumeSnapshotClass',
        'plain',
        (name) => ofClass(name, () => makeClass(capture.admin, name, {})),
        'NotFound StorageClass plain names no VolumeSnapshotClass',
      ],
      [
        'CAP-12 of a class that names one that is not there',
        'dangling',
        (name) => ofClass(name, () => makeClass(capture.admin, name)),
        'NotFound VolumeSnapshotClass dangling not found',
      ],
      [
        'CAP-13 of a class that names one of another driver',
        'foreign',
        (name) =>
          ofClass(name, async () => {
            await makeClass(capture.admin, name);
            await makeSnapshotClass(capture.admin, name, 'tape.example.com');
          }),
        'InternalError VolumeSnapshotClass foreign uses driver tape.example.com',
      ],
    ];
    test.each(FAULTS)('%s ends its request before anything is made', async (_title, name, make, expected) => {
      await make(name);
      const { metadata } = await capture.admin.get(corev1.persistentvolumeclaims, { namespace, name });
      const request = await createSnapshotRequest(capture, name, metadata);
      const { status } = await ended(name);
      const [{ status: is, reason, message } = { status: 'none' }, ...others] = status?.conditions ?? [];
      expect(`${reason} ${message}`).toContain(expected);
      expect([is, others]).toEqual(['False', []]);
      expect([
        await keepersOf(capture.admin, request.metadata.uid),
        await contentsOf(capture.admin, request.metadata.uid),
      ]).toEqual([[], []]);
    });

    test('CAP-19 CAP-D1 a claim that was made anew is not captured in the stead of the one that is named', async () => {
      const { metadata } = await makeBoundClaim(capture.admin, { namespace, name: 'anew' });
      const request = await createSnapshotRequest(capture, 'anew', { ...metadata, uid: 'of-the-old-one' });
      const { status } = await ended('anew');
      expect(status?.conditions).toMatchObject([
        { status: 'False', reason: 'NotFound', message: expect.stringContaining('was replaced') },
      ]);
      expect(await contentsOf(capture.admin, request.metadata.uid)).toEqual([]);
    });

    test('CAP-14 the schema knows the modes, and wants a target', async () => {
      const create = (spec: object) =>
        capture.admin.create(VOLUME_CAPTURE_REQUESTS, {
          apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
          kind: 'VolumeCaptureRequest',
          metadata: { namespace, name: 'invalid' },
          spec: spec as VolumeCaptureRequest['spec'],
        });
      await expect(create({ mode: 'Foo' })).rejects.toSatisfy(isInvalid);
      await expect(create({ mode: 'Snapshot' })).rejects.toThrow('target is required when mode is Snapshot');
    });
  });
}
