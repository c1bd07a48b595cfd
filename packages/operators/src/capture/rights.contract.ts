import { authorizationv1, corev1, rbacv1, type Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { accountUser } from '../kit/install-objects.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from './api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { SNAPSHOT_CONTENTS } from './api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from './api/volume-restore-request.ts';
import { captureParts } from './controller.ts';
import { NAMES } from './requests/names.ts';
import { createManifestRequest, createSnapshotRequest, finished, gone } from './testing/make-requests.ts';
import { makeBoundClaim } from './testing/static-volumes.ts';
import { useStaticVolumes } from './testing/use-static-volumes.ts';

type Right = { readonly verb: string; readonly group: string; readonly resource: string };
const SNAPSHOT = 'snapshot.storage.k8s.io';
const VOLUMES = 'capture-volumes';

/** What becomes of requests for which the operator lacks a right, on a server with RBAC and garbage collection. */
export function rightsContract(transport: () => Transport): void {
  describe('an operator without the right', () => {
    const anyKind = { apiGroups: [''], resources: ['configmaps'] };
    const capture = useStaticVolumes(transport, { anyKind });
    const { namespace } = capture;

    const mayDo = async (account: string, { verb, group, resource: path }: Right): Promise<boolean> => {
      const { username: user, groups } = accountUser(account);
      const [resource = '', subresource] = path.split('/');
      const resourceAttributes = { verb, group, resource, ...(subresource && { subresource }) };
      const { status } = await capture.admin.create(authorizationv1.subjectaccessreviews, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec: { user, groups: [...groups], resourceAttributes },
      });
      return status?.allowed === true;
    };
    /** kube-apiserver knows a changed role a moment later. */
    const without = async <T>(account: string, right: Right, run: () => Promise<T>): Promise<T> => {
      const key = { name: `kubewright:${account}` };
      const { rules = [] } = await capture.admin.get(rbacv1.clusterroles, key);
      const less = rules.map((rule) =>
        rule.resources?.includes(right.resource) === true
          ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== right.verb) }
          : rule,
      );
      const write = (body: { readonly rules: typeof rules }) =>
        capture.admin.patch(rbacv1.clusterroles, key, { type: 'merge', body });
      await write({ rules: less.filter(({ verbs }) => verbs.length > 0) });
      try {
        await expect.poll(() => mayDo(account, right)).toBe(false);
        return await run();
      } finally {
        await write({ rules });
        await expect.poll(() => mayDo(account, right)).toBe(true);
      }
    };
    const told = async (
      ref: typeof VOLUME_CAPTURE_REQUESTS | typeof VOLUME_RESTORE_REQUESTS,
      name: string,
    ) => {
      const { status } = await finished(capture, ref as typeof VOLUME_CAPTURE_REQUESTS, name);
      return status?.conditions?.map(({ status: is, reason, message }) => `${is}/${reason} ${message}`);
    };

    test.each([
      ['persistentvolumeclaims', ''],
      ['persistentvolumes', ''],
      ['storageclasses', 'storage.k8s.io'],
      ['volumesnapshotclasses', SNAPSHOT],
    ])('CAP-6 to get %s ends a snapshot as RBACDenied, before anything is made', async (resource, group) => {
      const { metadata } = await makeBoundClaim(capture.admin, { namespace, name: resource });
      const request = await without(VOLUMES, { verb: 'get', group, resource }, async () => {
        const created = await createSnapshotRequest(capture, resource, metadata);
        expect(await told(VOLUME_CAPTURE_REQUESTS, resource)).toEqual([
          expect.stringMatching(new RegExp(`^False/RBACDenied .*${resource}.* is forbidden`)),
        ]);
        return created;
      });
      const keeper = { name: NAMES.captureKeeper(request.metadata.uid) };
      await expect(capture.admin.get(OBJECT_KEEPERS, keeper)).rejects.toThrow('not found');
    });

    test('CAP-33 to make snapshots ends it as RBACDenied; its keeper stays as long as the request', async () => {
      const { metadata } = await makeBoundClaim(capture.admin, { namespace, name: 'unmade' });
      const right = { verb: 'create', group: SNAPSHOT, resource: 'volumesnapshotcontents' };
      const { uid } = await without(VOLUMES, right, async () => {
        const created = await createSnapshotRequest(capture, 'unmade', metadata);
        expect(await told(VOLUME_CAPTURE_REQUESTS, 'unmade')).toEqual([
          expect.stringMatching(/^False\/RBACDenied .*cannot create resource "volumesnapshotcontents"/),
        ]);
        return created.metadata;
      });
      const keeper = NAMES.captureKeeper(uid);
      await expect(capture.admin.get(OBJECT_KEEPERS, { name: keeper })).resolves.toBeDefined();
      await capture.admin.delete(VOLUME_CAPTURE_REQUESTS, { namespace, name: 'unmade' });
      await gone(capture.admin, OBJECT_KEEPERS, keeper);
    });

    test('CAP-51 to get its source ends a restore as RBACDenied', async () => {
      const right = { verb: 'get', group: SNAPSHOT, resource: SNAPSHOT_CONTENTS.resource };
      await without(VOLUMES, right, async () => {
        await capture.admin.create(VOLUME_RESTORE_REQUESTS, {
          apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
          kind: 'VolumeRestoreRequest',
          metadata: { namespace, name: 'unread' },
          spec: { sourceRef: { name: 'any' }, pvcTemplate: { metadata: { name: 'unread' } } },
        });
        expect(await told(VOLUME_RESTORE_REQUESTS, 'unread')).toEqual([
          expect.stringMatching(/^False\/RBACDenied .*cannot get resource "volumesnapshotcontents"/),
        ]);
      });
    });

    const failed = async (name: string, target: { readonly kind: string; readonly name: string }) => {
      const { metadata } = await createManifestRequest(capture, name, [{ apiVersion: 'v1', ...target }]);
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, name);
      const checkpoint = capture.admin.get(MANIFEST_CHECKPOINTS, { name: NAMES.checkpoint(metadata.uid) });
      await expect(checkpoint).rejects.toThrow('not found');
      return status?.conditions?.map(({ status: is, reason, message }) => `${is}/${reason} ${message}`);
    };

    test('CAP-72 to get a target ends a capture as Failed, though its author has it', async () => {
      expect(await failed('of-a-pod', { kind: 'Pod', name: 'any' })).toEqual([
        expect.stringMatching(/^False\/Failed Pod .*\/any is forbidden: .*cannot get resource "pods"/),
      ]);
    });

    test('CAP-86 to make checkpoints ends a capture as Failed', async () => {
      const metadata = { namespace, name: 'one' };
      await capture.admin.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      const right = { verb: 'create', group: MANIFEST_CHECKPOINTS.group, resource: 'manifestcheckpoints' };
      await without('capture-manifests', right, async () => {
        expect(await failed('uncreated', { kind: 'ConfigMap', name: 'one' })).toEqual([
          expect.stringMatching(/^False\/Failed .*cannot create resource "manifestcheckpoints"/),
        ]);
      });
    });

    test('CAP-63 to write the status of requests: one account of each kind has it, the others have not', async () => {
      const writersOf = async (group: string, resource: string): Promise<readonly string[]> => {
        const accounts = captureParts.parts.map(({ account }) => account);
        const right = { verb: 'patch', group, resource: `${resource}/status` };
        const may = await Promise.all(accounts.map((account) => mayDo(account, right)));
        return accounts.filter((_account, index) => may[index]);
      };
      const { group } = VOLUME_RESTORE_REQUESTS;
      expect(await writersOf(group, 'volumerestorerequests')).toEqual([VOLUMES]);
      // Of one mode each.
      expect(await writersOf(group, 'volumecapturerequests')).toEqual([VOLUMES, 'capture-detach']);
      expect(await writersOf(MANIFEST_CAPTURE_REQUESTS.group, 'manifestcapturerequests')).toEqual([
        'capture-manifests',
      ]);
    });
  });
}
