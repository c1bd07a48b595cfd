import { ignoreNotFound } from '@kubewright/client';
import { corev1, storagev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { SNAPSHOT_CONTENTS, type StoredContent } from './api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from './api/volume-capture-request.ts';
import { NAMES } from './requests/names.ts';
import { failWith, interceptCalls } from './testing/intercepted-calls.ts';
import { createSnapshotRequest, finished, gone } from './testing/make-requests.ts';
import { runCommand } from './testing/run-command.ts';
import {
  CLASS,
  DRIVER,
  makeBoundClaim,
  makeClass,
  releaseSnapshot,
  reportSnapshot,
} from './testing/static-volumes.ts';
import { contentsOf, keepersOf, useStaticVolumes } from './testing/use-static-volumes.ts';

const LOOKS = 20;
const DISK_FULL = { message: 'disk full', time: '2026-01-01T00:00:00Z' };

/** Snapshots of a driver that nobody runs: the test says what becomes of them. On a cluster that collects garbage. */
export function snapshotsContract(transport: () => Transport): void {
  describe('a snapshot of a claim', () => {
    const calls = interceptCalls();
    const capture = useStaticVolumes(transport, { time: calls.time });
    const { namespace } = capture;

    const ready = ({ status }: VolumeCaptureRequest) =>
      status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is}/${reason}`);
    const live = (name: string) => capture.admin.get(VOLUME_CAPTURE_REQUESTS, { namespace, name });
    const ended = (name: string) => finished(capture, VOLUME_CAPTURE_REQUESTS, name);
    const claimOf = (name: string) => makeBoundClaim(capture.admin, { namespace, name });
    /** A request whose snapshot is made and not ready yet. */
    const begun = async (
      name: string,
      spec: Partial<VolumeCaptureRequest['spec']> = {},
    ): Promise<{ readonly request: VolumeCaptureRequest; readonly content: StoredContent }> => {
      const { metadata: claim } = await claimOf(name);
      const target = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid: claim.uid };
      const request = await capture.admin.create(VOLUME_CAPTURE_REQUESTS, {
        apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
        kind: 'VolumeCaptureRequest',
        metadata: { namespace, name },
        spec: { mode: 'Snapshot', target, ...spec },
      });
      await waitForObject(
        capture.admin,
        VOLUME_CAPTURE_REQUESTS,
        { namespace, name },
        (one) => one?.status?.progress?.artifactUID !== undefined,
      );
      const key = { name: NAMES.snapshotContent(request.metadata.uid) };
      return { request, content: await capture.admin.get(SNAPSHOT_CONTENTS, key) };
    };

    test('CAP-1 CAP-2 CAP-16 CAP-17 one keeper and one content; no Ready and no write until it is ready', async () => {
      const { request, content } = await begun('one');
      const { uid, name } = request.metadata;
      const [keeper, ...others] = await keepersOf(capture.admin, uid);
      expect(others).toEqual([]);
      expect(keeper?.spec).toEqual({
        mode: 'FollowObject',
        followObjectRef: {
          apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
          kind: 'VolumeCaptureRequest',
          namespace,
          name,
          uid,
        },
      });
      expect(
        (await contentsOf(capture.admin, request.metadata.uid)).map(({ metadata }) => metadata.uid),
      ).toEqual([content.metadata.uid]);
      expect(content).toMatchObject({
        metadata: {
          ownerReferences: [{ kind: 'ObjectKeeper', uid: keeper?.metadata.uid, controller: true }],
        },
        spec: {
          driver: DRIVER,
          deletionPolicy: 'Delete',
          source: { volumeHandle: `handle-${namespace}-one` },
        },
      });
      const waiting = await live(name);
      expect(waiting.status).toEqual({
        progress: {
          keeperUID: keeper?.metadata.uid,
          artifactUID: content.metadata.uid,
          message: 'the snapshot is not ready',
        },
      });
      await reportSnapshot(capture.admin, content.metadata.name, { readyToUse: false });
      const looks = () =>
        calls.made.filter(({ method, path }) => method === 'GET' && path.endsWith(content.metadata.name));
      const before = looks().length;
      await expect.poll(() => looks().length - before).toBeGreaterThanOrEqual(LOOKS);
      expect((await live(name)).metadata.resourceVersion).toBe(waiting.metadata.resourceVersion);

      // The error is one of before.
      await reportSnapshot(capture.admin, content.metadata.name, { readyToUse: true, error: DISK_FULL });
      const done = await ended(name);
      expect(ready(done)).toEqual(['Ready=True/Completed']);
      const { apiVersion, kind, metadata } = content;
      expect(done.status?.data).toEqual({
        artifactRef: { apiVersion, kind, name: metadata.name, uid: metadata.uid },
      });
    });

    test('CAP-3 CAP-92 what has ended is not written again, however its spec is edited', async () => {
      const { content } = await begun('over');
      await reportSnapshot(capture.admin, content.metadata.name, { readyToUse: true });
      const done = await ended('over');
      const key = { namespace, name: 'over' };
      let last = done.metadata.resourceVersion;
      for (let turn = 1; turn <= 10; turn++) {
        const body = { spec: { deadlineSeconds: turn } };
        const edited = await capture.admin.patch(VOLUME_CAPTURE_REQUESTS, key, { type: 'merge', body });
        last = edited.metadata.resourceVersion;
      }
      // Another process looks at it anew; when it has ended what came later, it has seen this one.
      await capture.restart();
      await createSnapshotRequest(capture, 'after-over', { name: 'nowhere', uid: 'any' });
      await ended('after-over');
      const after = await live('over');
      expect([after.status, after.metadata.resourceVersion]).toEqual([done.status, last]);
      expect(await keepersOf(capture.admin, done.metadata.uid)).toHaveLength(1);
      expect(await contentsOf(capture.admin, done.metadata.uid)).toHaveLength(1);
    });

    test('CAP-15 an error of the storage system ends it, with its text and time', async () => {
      const { content } = await begun('failing');
      await reportSnapshot(capture.admin, content.metadata.name, { readyToUse: false, error: DISK_FULL });
      const { status } = await ended('failing');
      expect(status).toMatchObject({
        conditions: [
          { status: 'False', reason: 'SnapshotCreationFailed', message: `disk full (at ${DISK_FULL.time})` },
        ],
        data: { artifactRef: { name: content.metadata.name } },
      });
    });

    test('CAP-15 until the deadline an error is shown, and may pass', async () => {
      const { content } = await begun('patient', { externalErrorPolicy: 'UntilDeadline' });
      await reportSnapshot(capture.admin, content.metadata.name, { readyToUse: false, error: DISK_FULL });
      const shown = await waitForObject(
        capture.admin,
        VOLUME_CAPTURE_REQUESTS,
        { namespace, name: 'patient' },
        (one) => one?.status?.progress?.message?.startsWith('disk full') === true,
      );
      expect(shown?.status?.conditions).toBeUndefined();
      await reportSnapshot(capture.admin, content.metadata.name, { readyToUse: true });
      expect(ready(await ended('patient'))).toEqual(['Ready=True/Completed']);
    });

    test('CAP-15 and ends it there', async () => {
      // Longer than a busy machine takes until the snapshot is made.
      const spec = { externalErrorPolicy: 'UntilDeadline', deadlineSeconds: 10 } as const;
      const { content } = await begun('late', spec);
      await reportSnapshot(capture.admin, content.metadata.name, { readyToUse: false, error: DISK_FULL });
      expect(ready(await ended('late'))).toEqual(['Ready=False/DeadlineExceeded']);
    });

    test('CAP-177 a race that a sidecar has lost is no error of the storage system', async () => {
      const { content } = await begun('raced');
      const { name } = content.metadata;
      const message = `Failed to check and update snapshot content: snapshot controller failed to update ${name} on API server: Operation cannot be fulfilled on volumesnapshotcontents.snapshot.storage.k8s.io "${name}": the object has been modified; please apply your changes to the latest version and try again`;
      await reportSnapshot(capture.admin, name, { readyToUse: false, error: { ...DISK_FULL, message } });
      const looks = () =>
        calls.made.filter(({ method, path }) => method === 'GET' && path.endsWith(name)).length;
      const before = looks();
      await expect.poll(() => looks() - before).toBeGreaterThanOrEqual(2);
      await reportSnapshot(capture.admin, name, { readyToUse: true });
      expect(ready(await ended('raced'))).toEqual(['Ready=True/Completed']);
    });

    test('CAP-178 a request whose snapshot the server never accepts ends at its deadline', async () => {
      const never = failWith(500, 'InternalError', 'failed calling webhook');
      const end = calls.on({ method: 'POST', path: /\/volumesnapshotcontents(\?|$)/ }, never);
      try {
        const { metadata } = await claimOf('never');
        const target = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: 'never', uid: metadata.uid };
        await capture.admin.create(VOLUME_CAPTURE_REQUESTS, {
          apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
          kind: 'VolumeCaptureRequest',
          metadata: { namespace, name: 'never' },
          spec: { mode: 'Snapshot', target, deadlineSeconds: 5 },
        });
        const done = await ended('never');
        expect(ready(done)).toEqual(['Ready=False/DeadlineExceeded']);
        expect(done.status?.conditions?.[0]?.message).toContain('its next step was CreateSnapshot');
      } finally {
        end();
      }
    });

    test('CAP-179 the command waits until the deadline, and keeps the snapshot for as long as it should', async () => {
      await claimOf('kept');
      const options = { untilDeadline: 'true', for: '30d' };
      const printed = runCommand(capture, transport(), ['pvc', 'kept'], options);
      const made = async () => {
        const { items } = await capture.admin.list(VOLUME_CAPTURE_REQUESTS, { namespace });
        return items.find(({ metadata }) => metadata.name.startsWith('kept-'));
      };
      await expect.poll(async () => (await made())?.status?.progress?.artifactUID).toBeDefined();
      const request = await made();
      expect(request?.spec.externalErrorPolicy).toBe('UntilDeadline');
      const name = NAMES.snapshotContent(request?.metadata.uid ?? '');
      await reportSnapshot(capture.admin, name, { readyToUse: true });
      const [, keeper = ''] = /ObjectKeeper (\S+) keeps it for 720h/.exec(await printed) ?? [];
      const { metadata } = await capture.admin.get(SNAPSHOT_CONTENTS, { name });
      expect(metadata.ownerReferences).toMatchObject([
        { kind: 'ObjectKeeper', name: keeper, controller: true },
      ]);
      const { spec } = await capture.admin.get(OBJECT_KEEPERS, { name: keeper });
      expect(spec).toEqual({ mode: 'TTL', ttl: '720h' });
    });

    test('CAP-18 CAP-D7 what happens to the claim and its class after the snapshot was made does not matter', async () => {
      const { content } = await begun('left');
      const key = { namespace, name: 'left' };
      await capture.admin.delete(corev1.persistentvolumeclaims, key);
      await waitForObject(capture.admin, corev1.persistentvolumeclaims, key, (claim) => claim === undefined);
      await capture.admin.delete(storagev1.storageclasses, { name: CLASS });
      try {
        await reportSnapshot(capture.admin, content.metadata.name, { readyToUse: true });
        expect(ready(await ended('left'))).toEqual(['Ready=True/Completed']);
      } finally {
        await makeClass(capture.admin);
      }
    });

    test('CAP-34 a snapshot that somebody deletes before it is ready is not made again', async () => {
      const { request, content } = await begun('lost');
      await capture.admin.delete(SNAPSHOT_CONTENTS, { name: content.metadata.name });
      await releaseSnapshot(capture.admin, content.metadata.name);
      expect(ready(await ended('lost'))).toEqual(['Ready=False/NotFound']);
      await gone(capture.admin, SNAPSHOT_CONTENTS, content.metadata.name);
      expect(await contentsOf(capture.admin, request.metadata.uid)).toEqual([]);
    });

    test('CAP-35 a keeper that somebody deletes takes its snapshot along, and ends the request', async () => {
      const { request, content } = await begun('orphan');
      const [keeper] = await keepersOf(capture.admin, request.metadata.uid);
      await capture.admin.delete(OBJECT_KEEPERS, { name: keeper?.metadata.name ?? '' });
      expect(ready(await ended('orphan'))).toEqual(['Ready=False/NotFound']);
      await waitForObject(
        capture.admin,
        SNAPSHOT_CONTENTS,
        { name: content.metadata.name },
        (one) => one?.metadata.deletionTimestamp !== undefined,
        { timeoutMs: 90_000 },
      );
      await ignoreNotFound(releaseSnapshot(capture.admin, content.metadata.name));
      await gone(capture.admin, SNAPSHOT_CONTENTS, content.metadata.name);
      expect(await keepersOf(capture.admin, request.metadata.uid)).toEqual([]);
    });
  });
}
