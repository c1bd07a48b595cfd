import type { Client } from '@kubewright/client';
import { admissionregistrationv1, corev1, rbacv1, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { grantRole } from '../kit/testing/grant-role.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS } from './api/annotations.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from './api/volume-restore-request.ts';
import { CONFIGURATION } from './authority/author-webhooks.ts';
import { captureParts } from './controller.ts';
import { readCheckpoint } from './manifests/read-checkpoint.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import {
  createManifestRequest,
  createSnapshotRequest,
  finished,
  type Requester,
} from './testing/make-requests.ts';

const ANY_KIND = { apiGroups: [''], resources: ['configmaps', 'secrets', 'pods'] };
const AUTHOR = { username: 'bob', groups: ['system:authenticated'] };

/** Nobody gets by a request what they may not do themselves. */
export function authorsContract(transport: () => Transport): void {
  describe('the author of a request', () => {
    const capture = useOperator(transport, captureParts, { anyKind: ANY_KIND });
    const { namespace } = capture;
    let bob: Client;
    const asBob = (): Requester => ({ admin: bob, namespace });
    const target = (kind: string, name: string) => ({ apiVersion: 'v1', kind, name });
    /** A request of bob that names somebody else as its author. */
    const forged = (name: string, wanted: { readonly kind: string; readonly name: string }) =>
      bob.create(MANIFEST_CAPTURE_REQUESTS, {
        apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
        kind: 'ManifestCaptureRequest',
        metadata: { namespace, name, annotations: { [ANNOTATIONS.author]: 'alice' } },
        spec: { targets: [target(wanted.kind, wanted.name)] },
      });

    beforeAll(async () => {
      bob = capture.as(AUTHOR);
      await admissionChecks(capture);
      for (const name of ['one', 'two'])
        await capture.admin.create(corev1.configmaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace, name },
        });
      const rules = [
        {
          apiGroups: [MANIFEST_CAPTURE_REQUESTS.group, VOLUME_CAPTURE_REQUESTS.group],
          resources: ['manifestcapturerequests', 'volumecapturerequests', 'volumerestorerequests'],
          verbs: ['create', 'patch'],
        },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get'] },
        { apiGroups: [''], resources: ['persistentvolumeclaims'], resourceNames: ['mine'], verbs: ['get'] },
      ] as const;
      await grantRole(capture.admin, { namespace, name: 'requests', user: AUTHOR.username, rules });
    });

    const requested = (name: string, ...targets: Parameters<typeof createManifestRequest>[2]) =>
      createManifestRequest(asBob(), name, targets);

    test('may request what they may read, and is recorded, whatever the request says', async () => {
      const { metadata } = await bob.create(MANIFEST_CAPTURE_REQUESTS, {
        apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
        kind: 'ManifestCaptureRequest',
        metadata: { namespace, name: 'mine', annotations: { [ANNOTATIONS.author]: 'alice', other: 'kept' } },
        spec: { targets: [target('ConfigMap', 'one'), target('ConfigMap', 'two')] },
      });
      expect(metadata.annotations).toEqual({ [ANNOTATIONS.author]: 'bob', other: 'kept' });
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'mine');
      expect(status?.conditions).toMatchObject([{ reason: 'Completed' }]);
    });

    test('stays the same', async () => {
      await requested('stays', target('ConfigMap', 'one'));
      const body = { metadata: { annotations: { [ANNOTATIONS.author]: null, more: 'of it' } } };
      const key = { namespace, name: 'stays' };
      const { metadata } = await capture.admin.patch(MANIFEST_CAPTURE_REQUESTS, key, { type: 'merge', body });
      expect(metadata.annotations).toEqual({ [ANNOTATIONS.author]: 'bob', more: 'of it' });
    });

    test('CAP-91 CAP-D23 who may not read a Secret gets no capture of it', async () => {
      const message = `secrets "other" is forbidden: User "bob" cannot get resource "secrets" in API group "" in the namespace "${namespace}"`;
      const both = [target('Secret', 'mine'), target('Secret', 'other')];
      await expect(requested('secrets', target('ConfigMap', 'one'), ...both)).rejects.toMatchObject({
        code: 403,
        message: expect.stringContaining(message),
      });
      // That it is not there is another matter: whoever may read it would see that, too.
      await expect(requested('named', target('Secret', 'mine'))).resolves.toBeDefined();
    });

    test('CAP-91 CAP-D23 a pod is captured without the Secrets that it names', async () => {
      for (const name of ['other', 'third'])
        await capture.admin.create(corev1.secrets, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace, name },
          data: { password: 'aHVudGVyMg==' },
        });
      await capture.admin.create(corev1.pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace, name: 'mounts' },
        spec: {
          containers: [{ name: 'main', image: 'any', envFrom: [{ secretRef: { name: 'third' } }] }],
          volumes: [{ name: 'login', secret: { secretName: 'other' } }],
        },
      });
      await requested('mounts', target('Pod', 'mounts'));
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'mounts');
      expect(status?.conditions).toMatchObject([{ status: 'True', reason: 'Completed' }]);
      const objects = await readCheckpoint(capture.admin, status?.checkpointName ?? '');
      expect(objects.map(({ kind }) => kind)).toEqual(['Pod']);
    });

    test('CAP-91 who may not list a kind gets no capture of all its objects', async () => {
      const selected = (name: string, ...kinds: readonly string[]) =>
        bob.create(MANIFEST_CAPTURE_REQUESTS, {
          apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
          kind: 'ManifestCaptureRequest',
          metadata: { namespace, name },
          spec: { selection: { kinds: kinds.map((kind) => ({ apiVersion: 'v1', kind })) } },
        });
      // To get a Secret by its name is not to see them all.
      await expect(selected('all-secrets', 'ConfigMap', 'Secret')).rejects.toMatchObject({
        code: 403,
        message: expect.stringContaining('User "bob" cannot list resource "secrets"'),
      });
      await expect(selected('unserved-kind', 'NobodyServesThis')).rejects.toMatchObject({ code: 422 });
      await selected('all-maps', 'ConfigMap');
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'all-maps');
      expect(status?.conditions).toMatchObject([{ reason: 'Completed' }]);
    });

    test('CAP-72 a kind that is not served ends the request of who may get everything, and nobody else makes one', async () => {
      const nowhere = target('NobodyServesThis', 'any');
      await expect(requested('unserved', target('ConfigMap', 'one'), nowhere)).rejects.toMatchObject({
        code: 422,
        message: expect.stringContaining('NobodyServesThis'),
      });
      await createManifestRequest(capture, 'unserved', [nowhere]);
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'unserved');
      expect(status?.conditions).toMatchObject([{ reason: 'Failed' }]);
    });

    test('CAP-21 CAP-D3 who may not read a claim, or one of another namespace, gets no snapshot of it', async () => {
      const snapshot = (name: string, claim: string) =>
        createSnapshotRequest(asBob(), name, { name: claim, uid: 'any' });
      await expect(snapshot('other', 'other')).rejects.toThrow(
        'persistentvolumeclaims "other" is forbidden: User "bob" cannot get resource "persistentvolumeclaims"',
      );
      const away = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: 'mine', uid: 'any' };
      const request = {
        apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
        kind: 'VolumeCaptureRequest',
        metadata: { namespace, name: 'away' },
        spec: { mode: 'Snapshot', target: { ...away, namespace: 'default' } },
      } as const;
      await expect(bob.create(VOLUME_CAPTURE_REQUESTS, request)).rejects.toThrow(
        'in the namespace "default"',
      );
      await expect(snapshot('mine', 'mine')).resolves.toBeDefined();
      const detach = { ...request, spec: { mode: 'Detach', target: away } } as const;
      await expect(bob.create(VOLUME_CAPTURE_REQUESTS, detach)).rejects.toThrow(
        'User "bob" cannot delete resource "persistentvolumeclaims"',
      );
      // An administrator may, and the request ends nevertheless.
      await capture.admin.create(VOLUME_CAPTURE_REQUESTS, request);
      const { status } = await finished(capture, VOLUME_CAPTURE_REQUESTS, 'away');
      expect(status?.conditions).toMatchObject([{ reason: 'RBACDenied' }]);
    });

    test('CAP-62 CAP-D3 who may not read a snapshot gets no claim from it', async () => {
      const restore = bob.create(VOLUME_RESTORE_REQUESTS, {
        apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
        kind: 'VolumeRestoreRequest',
        metadata: { namespace, name: 'stolen' },
        spec: {
          sourceRef: { name: 'of-somebody' },
          pvcTemplate: { metadata: { name: 'restored' } },
        },
      });
      await expect(restore).rejects.toThrow(
        'volumesnapshotcontents.snapshot.storage.k8s.io "of-somebody" is forbidden: User "bob" cannot get',
      );
    });

    test('CAP-239 who may read a snapshot of another namespace, and create none by hand, gets no claim from it', async () => {
      const name = `${namespace}-snapshots`;
      const group = 'rbac.authorization.k8s.io';
      const rules = [
        { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshotcontents'], verbs: ['get'] },
        { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['create'] },
      ] as const;
      const metadata = { name };
      await capture.admin.create(rbacv1.clusterroles, {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRole',
        metadata,
        rules,
      });
      await capture.admin.create(rbacv1.clusterrolebindings, {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRoleBinding',
        metadata,
        roleRef: { apiGroup: group, kind: 'ClusterRole', name },
        subjects: [{ apiGroup: group, kind: 'User', name: AUTHOR.username }],
      });
      const restore = (from: string): Promise<unknown> =>
        bob.create(
          VOLUME_RESTORE_REQUESTS,
          {
            apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
            kind: 'VolumeRestoreRequest',
            metadata: { namespace, name: 'from-elsewhere' },
            spec: {
              sourceRef: { name: 'of-somebody', namespace: from },
              pvcTemplate: { metadata: { name: 'restored' } },
            },
          },
          { dryRun: true },
        );
      await expect.poll(() => restore(namespace).catch(String), { timeout: 60_000 }).toBeTypeOf('object');
      await expect(restore('bank')).rejects.toThrow(
        'User "bob" cannot create resource "volumesnapshotcontents" in API group "snapshot.storage.k8s.io" at the cluster scope',
      );
    });

    test('CAP-92 what a request asks for cannot be changed, also when it has ended, or that changes nothing', async () => {
      await requested('fixed', target('ConfigMap', 'one'));
      const key = { namespace, name: 'fixed' };
      const body = { spec: { targets: [target('Secret', 'other')] } };
      await expect(bob.patch(MANIFEST_CAPTURE_REQUESTS, key, { type: 'merge', body })).rejects.toThrow(
        'immutable',
      );
      const done = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'fixed');
      await expect(bob.patch(MANIFEST_CAPTURE_REQUESTS, key, { type: 'merge', body })).rejects.toThrow(
        'immutable',
      );
      expect(await capture.admin.get(MANIFEST_CAPTURE_REQUESTS, key)).toEqual(done);
      const selection = { kinds: [{ apiVersion: 'v1', kind: 'Secret' }] };
      const other = { spec: { targets: null, selection } };
      await expect(bob.patch(MANIFEST_CAPTURE_REQUESTS, key, { type: 'merge', body: other })).rejects.toThrow(
        'immutable',
      );
      await createSnapshotRequest(asBob(), 'fixed', { name: 'mine', uid: 'any' });
      const { status } = await finished(capture, VOLUME_CAPTURE_REQUESTS, 'fixed');
      const detach = { type: 'merge', body: { spec: { mode: 'Detach' } } } as const;
      expect(await bob.patch(VOLUME_CAPTURE_REQUESTS, key, detach)).toMatchObject({ status });
    });

    test('CAP-21 where the webhook lets requests pass, nothing is done for anybody, whatever the request says', async () => {
      const { validatingwebhookconfigurations: checks, mutatingwebhookconfigurations: records } =
        admissionregistrationv1;
      await capture.admin.delete(records, { name: CONFIGURATION });
      const conditions = [{ name: 'never', expression: 'false' }];
      const body = [{ op: 'replace', path: '/webhooks/0/matchConditions', value: conditions }];
      await capture.admin.patch(checks, { name: CONFIGURATION }, { type: 'json', body });
      await admissionChecks(capture, false);
      await forged('forged', { kind: 'Secret', name: 'other' });
      await createSnapshotRequest(asBob(), 'unchecked', { name: 'mine', uid: 'any' });
      const message = expect.stringContaining('nobody has checked');
      const manifests = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'forged');
      expect(manifests.status?.conditions).toMatchObject([{ reason: 'Failed', message }]);
      const volume = await finished(capture, VOLUME_CAPTURE_REQUESTS, 'unchecked');
      expect(volume.status?.conditions).toMatchObject([{ reason: 'RBACDenied', message }]);
    });

    test('CAP-182 where it is not installed, who may make a request has it carried out, and manager and request say so', async () => {
      const { validatingwebhookconfigurations: checks } = admissionregistrationv1;
      const warning = (): Promise<string | undefined> | undefined =>
        captureParts.unchecked?.(capture.admin, new AbortController().signal);
      expect(await warning()).toBeUndefined();
      await capture.admin.delete(checks, { name: CONFIGURATION });
      expect(await warning()).toMatch(/does not check what the authors of requests may do/u);
      await forged('uninstalled', { kind: 'ConfigMap', name: 'two' });
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'uninstalled');
      expect(status?.conditions).toMatchObject([
        { reason: 'Completed' },
        { type: 'AuthorChecked', status: 'False', reason: 'NotInstalled' },
      ]);
    });
  });
}
