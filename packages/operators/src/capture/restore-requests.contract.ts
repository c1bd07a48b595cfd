import { corev1, type Stored, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { OBJECT_KEEPERS, type ObjectKeeper } from './api/object-keeper.ts';
import { SNAPSHOT_CONTENTS, type SnapshotContentStatus } from './api/snapshots.ts';
import { VOLUME_RESTORE_REQUESTS, type VolumeRestoreRequest } from './api/volume-restore-request.ts';
import { NAMES } from './requests/names.ts';
import { after, interceptCalls, sentObject } from './testing/intercepted-calls.ts';
import { finished } from './testing/make-requests.ts';
import { runCommand } from './testing/run-command.ts';
import { CLASS, DRIVER, makeBoundClaim, reportSnapshot } from './testing/static-volumes.ts';
import { useStaticVolumes } from './testing/use-static-volumes.ts';

const GIB = 2 ** 30;
const READY = { readyToUse: true, snapshotHandle: 'any', restoreSize: GIB };
const LOOKS = 20;

/** Restores from snapshots of a driver that nobody runs: the test says what becomes of them. */
export function restoreRequestsContract(transport: () => Transport): void {
  describe('a request for a restore', () => {
    const calls = interceptCalls();
    const capture = useStaticVolumes(transport, { time: calls.time });
    const { namespace } = capture;

    const sourceOf = (name: string): string => `${namespace}-${name}`;
    /** A content that somebody else has made in this namespace. */
    const makeSource = async (name: string, status: SnapshotContentStatus, driver = DRIVER) => {
      const content = await capture.admin.create(SNAPSHOT_CONTENTS, {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshotContent',
        metadata: { name: sourceOf(name) },
        spec: {
          deletionPolicy: 'Retain',
          driver,
          source: { snapshotHandle: `handle-${name}` },
          volumeSnapshotRef: { namespace, name: 'of-somebody' },
        },
      });
      await reportSnapshot(capture.admin, content.metadata.name, status);
      return content;
    };
    type Spec = VolumeRestoreRequest['spec'];
    const restore = (
      name: string,
      spec: Partial<Spec> = {},
      storage?: string,
    ): Promise<VolumeRestoreRequest> =>
      capture.admin.create(VOLUME_RESTORE_REQUESTS, {
        apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
        kind: 'VolumeRestoreRequest',
        metadata: { namespace, name },
        spec: {
          sourceRef: { kind: 'VolumeSnapshotContent', name: sourceOf(name) },
          pvcTemplate: {
            metadata: { name },
            spec: {
              storageClassName: CLASS,
              ...(storage !== undefined && { resources: { requests: { storage } } }),
            },
          },
          ...spec,
        },
      });
    const ended = async (name: string): Promise<string> => {
      const { status } = await finished(capture, VOLUME_RESTORE_REQUESTS, name);
      const [{ status: is, reason, message } = { status: 'none' }] = status?.conditions ?? [];
      return `${is}/${reason} ${message}`;
    };
    const live = (name: string) => capture.admin.get(VOLUME_RESTORE_REQUESTS, { namespace, name });
    const claimNamed = async (name: string): Promise<Stored<corev1.PersistentVolumeClaim>> => {
      const key = { namespace, name };
      const isThere = (claim: unknown) => claim !== undefined;
      const claim = await waitForObject(capture.admin, corev1.persistentvolumeclaims, key, isThere);
      return claim ?? expect.fail('there is no claim');
    };
    const madeNothing = async ({ metadata }: VolumeRestoreRequest): Promise<void> => {
      const { items: keepers } = await capture.admin.list(OBJECT_KEEPERS);
      expect(keepers.filter(({ spec }) => spec.followObjectRef?.uid === metadata.uid)).toEqual([]);
      const key = { namespace, name: metadata.name };
      await expect(capture.admin.get(corev1.persistentvolumeclaims, key)).rejects.toThrow('not found');
      const content = { name: NAMES.restoreSnapshot(metadata.uid) };
      await expect(capture.admin.get(SNAPSHOT_CONTENTS, content)).rejects.toThrow('not found');
    };

    const FAULTS: readonly (readonly [string, string, () => Promise<VolumeRestoreRequest>, string])[] = [
      [
        'CAP-50 from a Pod',
        'pod',
        () => restore('pod', { sourceRef: { kind: 'Pod', name: 'any' } }),
        'InvalidSource a claim is restored from a VolumeSnapshotContent, not from a Pod',
      ],
      ['CAP-51 from what is not there', 'absent', () => restore('absent'), 'NotFound VolumeSnapshotContent'],
      [
        'CAP-53 from a snapshot with an error',
        'broken',
        async () => {
          await makeSource('broken', { readyToUse: false, error: { message: 'disk full' } });
          return restore('broken');
        },
        'InvalidSource disk full',
      ],
      [
        'CAP-60 from a snapshot of another driver than that of the class',
        'foreign',
        async () => {
          await makeSource('foreign', READY, 'tape.example.com');
          return restore('foreign');
        },
        `Incompatible StorageClass ${CLASS} uses ${DRIVER}, the snapshot tape.example.com`,
      ],
      [
        'CAP-61 into a claim that is too small',
        'small',
        async () => {
          await makeSource('small', READY);
          return restore('small', {}, '1Mi');
        },
        `Incompatible the claim requests 1Mi, the snapshot needs ${GIB} bytes`,
      ],
      [
        'CAP-65 from a snapshot that was made anew',
        'anew',
        async () => {
          await makeSource('anew', READY);
          return restore('anew', { sourceRef: { name: sourceOf('anew'), uid: 'of-the-old-one' } });
        },
        'NotFound VolumeSnapshotContent',
      ],
    ];
    test.each(FAULTS)('%s ends before anything is made', async (_title, name, make, expected) => {
      const request = await make();
      expect(await ended(name)).toContain(`False/${expected}`);
      await madeNothing(request);
    });

    test('CAP-52 waits for a snapshot that is not ready, and goes on when it is', async () => {
      const source = await makeSource('early', { readyToUse: false });
      const request = await restore('early');
      const waits = await waitForObject(
        capture.admin,
        VOLUME_RESTORE_REQUESTS,
        { namespace, name: 'early' },
        (one) => one?.status?.progress !== undefined,
      );
      expect(waits?.status).toMatchObject({ progress: { message: 'the snapshot is not ready' } });
      expect(waits?.status?.conditions).toBeUndefined();
      expect(await runCommand(capture, transport(), ['list'])).toMatch(
        /vrr\/early +Pending +the snapshot is not ready/u,
      );
      const keeper = { name: NAMES.restoreKeeper(request.metadata.uid) };
      await expect(capture.admin.get(OBJECT_KEEPERS, keeper)).resolves.toBeDefined();
      await reportSnapshot(capture.admin, source.metadata.name, READY);
      const { metadata } = await claimNamed('early');
      expect((await live('early')).status?.conditions).toBeUndefined();
      expect(metadata.ownerReferences).toBeUndefined();
    });

    test('CAP-53 may wait until its deadline for a snapshot with an error, and shows it', async () => {
      const source = await makeSource('patient', { readyToUse: false, error: { message: 'disk full' } });
      await restore('patient', { externalErrorPolicy: 'UntilDeadline' });
      const shown = await waitForObject(
        capture.admin,
        VOLUME_RESTORE_REQUESTS,
        { namespace, name: 'patient' },
        (one) => one?.status?.progress?.message === 'disk full',
      );
      expect(shown?.status?.conditions).toBeUndefined();
      await reportSnapshot(capture.admin, source.metadata.name, READY);
      await claimNamed('patient');
    });

    test('CAP-54 waits for its claim to be bound without a write, and ends when that has lost its volume', async () => {
      await makeSource('lost', READY);
      await restore('lost');
      const claim = await claimNamed('lost');
      const waiting = await waitForObject(
        capture.admin,
        VOLUME_RESTORE_REQUESTS,
        { namespace, name: 'lost' },
        (one) => one?.status?.progress?.artifactUID === claim.metadata.uid,
      );
      const looks = () => calls.made.filter(({ path }) => path.endsWith('/persistentvolumeclaims/lost'));
      const before = looks().length;
      await expect.poll(() => looks().length - before).toBeGreaterThanOrEqual(LOOKS);
      expect((await live('lost')).metadata.resourceVersion).toBe(waiting?.metadata.resourceVersion);
      // As if it had been bound to a volume that is gone: the binder then says so.
      const body = {
        metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
        spec: { volumeName: `${namespace}-gone` },
      };
      const key = { namespace, name: 'lost' };
      await capture.admin.patch(corev1.persistentvolumeclaims, key, { type: 'merge', body });
      expect(await ended('lost')).toBe('False/RestoreFailed PersistentVolumeClaim lost has lost its volume');
    });

    test('CAP-56 CAP-60 ends at its deadline when nobody makes a volume: not the provisioner of another driver, either', async () => {
      await makeSource('silent', READY);
      await restore('silent', { deadlineSeconds: 10 });
      expect(await ended('silent')).toBe(
        'False/DeadlineExceeded not done after 10 s: PersistentVolumeClaim silent is not bound',
      );
      const { spec, status } = await claimNamed('silent');
      expect([spec.volumeName, status?.phase]).toEqual([undefined, 'Pending']);
    });

    test('CAP-55 CAP-D4 a claim of its name that is bound to another volume is a conflict, and is left alone', async () => {
      await makeSource('taken', READY);
      const claim = await makeBoundClaim(capture.admin, { namespace, name: 'taken' });
      await restore('taken');
      expect(await ended('taken')).toContain('False/Conflict PersistentVolumeClaim taken exists');
      const key = { namespace, name: 'taken' };
      expect(await capture.admin.get(corev1.persistentvolumeclaims, key)).toEqual(claim);
      expect((await live('taken')).status).not.toHaveProperty('pvcRef');
    });

    test('CAP-57 a keeper of its name that follows another request is a conflict, and is left alone', async () => {
      const other = await restore('other', { sourceRef: { kind: 'Pod', name: 'any' } });
      let theirs: ObjectKeeper | undefined;
      const hold = after(async (sent) => {
        const { apiVersion, kind, metadata, spec } = sentObject(sent) as ObjectKeeper;
        const { name, uid } = other.metadata;
        const followObjectRef = { ...spec.followObjectRef!, name, uid };
        theirs = await capture.admin.create(OBJECT_KEEPERS, {
          apiVersion,
          kind,
          metadata,
          spec: { ...spec, followObjectRef },
        });
      });
      calls.on({ method: 'POST', path: /\/objectkeepers(\?|$)/ }, hold, 1);
      await makeSource('kept', READY);
      await restore('kept');
      expect(await ended('kept')).toContain('False/Conflict ObjectKeeper');
      const { metadata, spec } = await capture.admin.get(OBJECT_KEEPERS, {
        name: theirs?.metadata.name ?? '',
      });
      expect([metadata.uid, spec]).toEqual([theirs?.metadata.uid, theirs?.spec]);
    });
  });
}
