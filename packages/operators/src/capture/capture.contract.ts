import { ignoreNotFound } from '@kubewright/client';
import { corev1, isConditionTrue, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CONTENT_CHUNKS } from './api/content-chunk.ts';
import {
  type CaptureTarget,
  MANIFEST_CAPTURE_REQUESTS,
  type ManifestCaptureRequest,
} from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from './api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { SNAPSHOT_CONTENTS } from './api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from './api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from './api/volume-restore-request.ts';
import { captureParts } from './controller.ts';
import { readCheckpoint } from './manifests/read-checkpoint.ts';
import { NAMES } from './requests/names.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import {
  finished,
  gone,
  createManifestRequest,
  createSnapshotRequest,
  type RequestStatus,
} from './testing/make-requests.ts';
import { runCommand } from './testing/run-command.ts';
import { boundClaim, handleOf, nameSnapshotClass } from './testing/volumes.ts';

/** What is captured and followed here. */
const CAPTURABLE = {
  apiGroups: [''],
  resources: ['configmaps', 'secrets', 'namespaces', 'persistentvolumeclaims'],
};

/** What a test sees of the storage system. */
export type Disks = {
  write(handle: string, path: string, text: string): void;
  volume(handle: string): { readonly content: Readonly<Record<string, string>> };
};

/** The use case, on a cluster with garbage collection, binding and a CSI driver; each part acts under its account. */
export function captureContract(transport: () => Transport, disks: Disks): void {
  describe('capture', () => {
    const capture = useOperator(transport, captureParts, { anyKind: CAPTURABLE });
    const { namespace } = capture;

    beforeAll(async () => {
      await admissionChecks(capture);
      for (const name of ['one', 'two']) await writeConfig(name, { a: name });
    });

    const writeConfig = (name: string, data: Readonly<Record<string, string>>) =>
      capture.admin.apply(
        corev1.configmaps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data },
        { fieldManager: 'test', force: true },
      );
    const target = (name: string, kind = 'ConfigMap') => ({ apiVersion: 'v1', kind, name });
    const captured = async (
      name: string,
      targets: readonly CaptureTarget[],
    ): Promise<ManifestCaptureRequest> => {
      await createManifestRequest(capture, name, targets);
      return finished(capture, MANIFEST_CAPTURE_REQUESTS, name);
    };
    const ready = ({ status }: { readonly status?: RequestStatus | undefined }) =>
      status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is}/${reason}`);

    test('CAP-66 CAP-D19 three targets: keeper, checkpoint, chunk, each owned by the one before; then Completed', async () => {
      const { metadata, status } = await captured('three', [
        target('two'),
        target('one'),
        target(namespace, 'Namespace'),
      ]);
      expect(ready({ status })).toEqual(['Ready=True/Completed']);
      const keeper = await capture.admin.get(OBJECT_KEEPERS, { name: NAMES.manifestKeeper(metadata.uid) });
      expect(keeper.spec).toEqual({
        mode: 'FollowObject',
        followObjectRef: {
          apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
          kind: 'ManifestCaptureRequest',
          namespace,
          name: 'three',
          uid: metadata.uid,
        },
      });
      const checkpoint = await capture.admin.get(MANIFEST_CHECKPOINTS, {
        name: status?.checkpointName ?? '',
      });
      expect(checkpoint.metadata.ownerReferences).toMatchObject([
        { kind: 'ObjectKeeper', uid: keeper.metadata.uid, controller: true },
      ]);
      expect(checkpoint.status).toMatchObject({ totalObjects: 3, chunks: [{ index: 0, objectsCount: 3 }] });
      const chunk = await capture.admin.get(CONTENT_CHUNKS, {
        name: checkpoint.status?.chunks?.[0]?.name ?? '',
      });
      expect(chunk.metadata.ownerReferences).toMatchObject([
        { kind: 'ManifestCheckpoint', uid: checkpoint.metadata.uid, controller: true },
      ]);
      const objects = await readCheckpoint(capture.admin, checkpoint.metadata.name);
      const live = await capture.admin.get(corev1.configmaps, { namespace, name: 'one' });
      expect(objects).toContainEqual(live);
      expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'ConfigMap', 'Namespace']);
    });

    test('the request goes, and everything goes, by the garbage collector alone', async () => {
      const { metadata, status } = await captured('brief', [target('one')]);
      const checkpoint = await capture.admin.get(MANIFEST_CHECKPOINTS, {
        name: status?.checkpointName ?? '',
      });
      await capture.admin.delete(MANIFEST_CAPTURE_REQUESTS, { namespace, name: 'brief' });
      await gone(capture.admin, OBJECT_KEEPERS, NAMES.manifestKeeper(metadata.uid));
      await gone(capture.admin, MANIFEST_CHECKPOINTS, checkpoint.metadata.name);
      await gone(capture.admin, CONTENT_CHUNKS, checkpoint.status?.chunks?.[0]?.name ?? '');
    });

    test('CAP-67 CAP-68 CAP-71 what cannot be captured ends the request, and leaves no checkpoint', async () => {
      await expect(captured('none', [])).rejects.toThrow(/spec.targets/);
      const cases = {
        missing: target('nowhere'),
        misspelt: target('one', 'configmap'),
        'of-the-cluster': { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'admin' },
        'of-another': target('kube-system', 'Namespace'),
      };
      for (const [name, wanted] of Object.entries(cases)) {
        const { metadata, status } = await captured(name, [target('one'), wanted]);
        expect(ready({ status }), name).toEqual(['Ready=False/Failed']);
        const named = name === 'missing' ? `${namespace}/nowhere` : wanted.kind;
        expect(status?.conditions?.[0]?.message, name).toContain(named);
        expect(status).not.toHaveProperty('checkpointName');
        const checkpoint = capture.admin.get(MANIFEST_CHECKPOINTS, { name: NAMES.checkpoint(metadata.uid) });
        expect(await ignoreNotFound(checkpoint), name).toBeUndefined();
      }
    });

    test('CAP-69 CAP-70 the order of targets and their repetition change nothing', async () => {
      const a = await captured('forth', [target('one'), target('two'), target('one')]);
      const b = await captured('back', [target('two'), target('one')]);
      const planOf = async ({ status }: ManifestCaptureRequest) =>
        (await capture.admin.get(MANIFEST_CHECKPOINTS, { name: status?.checkpointName ?? '' })).spec?.plan;
      expect(await planOf(a)).toMatchObject({ totalObjects: 2 });
      expect(await planOf(a)).toEqual(await planOf(b));
    });

    test('a token of a service account is never captured, and its value is nowhere', async () => {
      await capture.admin.create(corev1.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          namespace,
          name: 'token',
          annotations: { 'kubernetes.io/service-account.name': 'default' },
        },
        type: 'kubernetes.io/service-account-token',
      });
      const { status } = await captured('tokens', [target('token', 'Secret')]);
      expect(status?.conditions).toMatchObject([
        { reason: 'Failed', message: expect.stringContaining('never captured') },
      ]);
    });

    const capturedVolume = async (
      name: string,
      claim: { readonly name: string; readonly uid: string },
    ): Promise<VolumeCaptureRequest> => {
      await createSnapshotRequest(capture, name, claim);
      return finished(capture, VOLUME_CAPTURE_REQUESTS, name);
    };

    test('CAP-1 CAP-2 CAP-49 CAP-64 a claim is captured, restored with the same content, and all but the claim goes', async () => {
      await nameSnapshotClass(capture.admin);
      const { metadata: claim, ...rest } = await boundClaim(capture.admin, namespace, 'data');
      const handle = await handleOf(capture.admin, { metadata: claim, ...rest });
      disks.write(handle, 'orders', '41');
      const done = await capturedVolume('snap', claim);
      disks.write(handle, 'orders', '42');
      expect(ready(done)).toEqual(['Ready=True/Completed']);
      const { uid } = done.metadata;
      const keeper = await capture.admin.get(OBJECT_KEEPERS, { name: NAMES.captureKeeper(uid) });
      expect(keeper.spec.followObjectRef).toMatchObject({ kind: 'VolumeCaptureRequest', name: 'snap', uid });
      const content = await capture.admin.get(SNAPSHOT_CONTENTS, {
        name: done.status?.data?.artifactRef.name ?? '',
      });
      expect(content).toMatchObject({
        metadata: {
          uid: done.status?.data?.artifactRef.uid,
          ownerReferences: [{ kind: 'ObjectKeeper', uid: keeper.metadata.uid, controller: true }],
        },
        spec: {
          source: { volumeHandle: handle },
          volumeSnapshotRef: { namespace, uid },
          deletionPolicy: 'Delete',
        },
      });

      await capture.admin.create(VOLUME_RESTORE_REQUESTS, {
        apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
        kind: 'VolumeRestoreRequest',
        metadata: { namespace, name: 'back' },
        spec: {
          sourceRef: { kind: 'VolumeSnapshotContent', name: content.metadata.name },
          pvcTemplate: { metadata: { name: 'restored' }, spec: { storageClassName: 'standard' } },
        },
      });
      const restored = await finished(capture, VOLUME_RESTORE_REQUESTS, 'back');
      expect(ready(restored)).toEqual(['Ready=True/Completed']);
      expect(restored.status?.pvcRef).toMatchObject({ apiVersion: 'v1', namespace, name: 'restored' });
      const live = await capture.admin.get(corev1.persistentvolumeclaims, { namespace, name: 'restored' });
      expect(disks.volume(await handleOf(capture.admin, live)).content).toEqual({ orders: '41' });

      await capture.admin.delete(VOLUME_RESTORE_REQUESTS, { namespace, name: 'back' });
      await gone(capture.admin, OBJECT_KEEPERS, NAMES.restoreKeeper(restored.metadata.uid));
      await gone(capture.admin, SNAPSHOT_CONTENTS, NAMES.restoreSnapshot(restored.metadata.uid));
      await capture.admin.delete(VOLUME_CAPTURE_REQUESTS, { namespace, name: 'snap' });
      await gone(capture.admin, SNAPSHOT_CONTENTS, content.metadata.name);
      expect(
        (await capture.admin.get(corev1.persistentvolumeclaims, { namespace, name: 'restored' })).status
          ?.phase,
      ).toBe('Bound');
    });

    test('CAP-20 two requests for one claim have a snapshot each, and one goes without the other', async () => {
      await nameSnapshotClass(capture.admin);
      const { metadata: claim } = await boundClaim(capture.admin, namespace, 'twice');
      const both = await Promise.all(['left', 'right'].map((name) => capturedVolume(name, claim)));
      expect(both.flatMap(ready)).toEqual(['Ready=True/Completed', 'Ready=True/Completed']);
      const [left = '', right = ''] = both.map(({ status }) => status?.data?.artifactRef.name);
      const snapshotOf = async (name: string) => {
        const { metadata, spec, status } = await capture.admin.get(SNAPSHOT_CONTENTS, { name });
        const { uid, ownerReferences, deletionTimestamp } = metadata;
        return { uid, ownerReferences, deletionTimestamp, spec, status };
      };
      // Not the whole object: the snapshot controller adds its finalizer.
      const kept = await snapshotOf(right);
      await capture.admin.delete(VOLUME_CAPTURE_REQUESTS, { namespace, name: 'left' });
      await gone(capture.admin, SNAPSHOT_CONTENTS, left);
      expect(await snapshotOf(right)).toEqual(kept);
      expect(kept.deletionTimestamp).toBeUndefined();
    });

    test('CAP-4 CAP-5 a claim that is not there is final; a new request succeeds', async () => {
      const early = await capturedVolume('early', { name: 'later', uid: 'unknown' });
      expect(ready(early)).toEqual(['Ready=False/NotFound']);
      const content = capture.admin.get(SNAPSHOT_CONTENTS, {
        name: NAMES.snapshotContent(early.metadata.uid),
      });
      expect(await ignoreNotFound(content)).toBeUndefined();
      const { metadata } = await boundClaim(capture.admin, namespace, 'later');
      const again = await capturedVolume('again', metadata);
      expect(ready(again)).toEqual(['Ready=True/Completed']);
      const still = await capture.admin.get(VOLUME_CAPTURE_REQUESTS, { namespace, name: 'early' });
      expect(still.metadata.resourceVersion).toBe(early.metadata.resourceVersion);
      expect(isConditionTrue(still.status?.conditions, 'Ready')).toBe(false);
    });

    test('the verbs of the command line capture, list and show', async () => {
      const run = (...line: readonly string[]): Promise<string> => runCommand(capture, transport(), line);
      const printed = await run('namespace');
      expect(printed).toMatch(
        /Kinds of objects in namespace .*: ConfigMap, Namespace, PersistentVolumeClaim.*Completed: \d+ objects are in/s,
      );
      const [checkpoint = ''] = /nss-mcp-\w+/.exec(printed) ?? [];
      expect((await run('show', checkpoint)).split('\n')).toEqual(
        expect.arrayContaining(['ConfigMap/one', 'ConfigMap/two', 'PersistentVolumeClaim/data']),
      );
      expect(await run('pvc', 'data')).toContain('The snapshot is volumesnapshotcontent/snapshot-');
      expect(await run('list')).toMatch(/^REQUEST .*mcr\/capture-.*vcr\/data-/s);
      const one = await runCommand(capture, transport(), ['namespace'], { selector: 'only=one' }).catch(
        String,
      );
      expect(one).toContain('there is nothing to capture');
      const body = { metadata: { labels: { only: 'one' } } };
      await capture.admin.patch(corev1.configmaps, { namespace, name: 'one' }, { type: 'merge', body });
      expect(await runCommand(capture, transport(), ['namespace'], { selector: 'only=one,!no' })).toContain(
        'Completed: 1 objects are in',
      );
      await expect(runCommand(capture, transport(), ['namespace'], { selector: 'a>1' })).rejects.toThrow(
        'can be captured',
      );
      await expect(run('pvc', 'nothing')).rejects.toThrow('choose another with -n');
      await expect(run('show', 'nothing')).rejects.toThrow('"kubectl get mcp" lists them');
    });

    test('CAP-D24 Events report how requests end', async () => {
      const { items } = await capture.admin.list(corev1.events, { namespace });
      const told = new Set(items.map(({ involvedObject, reason }) => `${involvedObject.kind} ${reason}`));
      expect([...told]).toEqual(
        expect.arrayContaining([
          'ManifestCaptureRequest Completed',
          'ManifestCaptureRequest Failed',
          'VolumeCaptureRequest CreatingSnapshot',
          'VolumeCaptureRequest Completed',
          'VolumeCaptureRequest NotFound',
          'VolumeRestoreRequest Completed',
        ]),
      );
    });
  });
}
