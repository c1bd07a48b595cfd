import { isForbidden } from '@kubewright/client';
import { corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { grantRole } from '../kit/testing/grant-role.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CAPTURE_SCHEDULES, type CaptureSchedule } from './api/capture-schedule.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from './api/manifest-checkpoint.ts';
import { VOLUME_CAPTURE_REQUESTS } from './api/volume-capture-request.ts';
import { captureParts } from './controller.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { gone } from './testing/make-requests.ts';
import { boundClaim, nameSnapshotClass } from './testing/volumes.ts';

const MANIFESTS = { selection: { kinds: [{ apiVersion: 'v1', kind: 'ConfigMap' }] } };
const OFTEN = '@every 1s';

/** Captures that are made by the clock, on a cluster that collects garbage and has a CSI driver. */
export function schedulesContract(transport: () => Transport): void {
  describe('a schedule of captures', () => {
    const capture = useOperator(transport, captureParts, {
      anyKind: { apiGroups: [''], resources: ['configmaps'] },
      env: { REQUEST_TTL: '1ms' },
    });
    const { namespace } = capture;

    beforeAll(async () => {
      await admissionChecks(capture);
      await nameSnapshotClass(capture.admin);
      const metadata = { namespace, name: 'one' };
      await capture.admin.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    });

    const create = (
      name: string,
      spec: Partial<CaptureSchedule['spec']>,
      client = capture.admin,
    ): Promise<CaptureSchedule> =>
      client.create(CAPTURE_SCHEDULES, {
        apiVersion: 'capture.kubewright.io/v1alpha1',
        kind: 'CaptureSchedule',
        metadata: { namespace, name },
        spec: { schedule: OFTEN, ...spec },
      });
    const until = async (name: string, isSo: (status: NonNullable<CaptureSchedule['status']>) => boolean) =>
      (await waitForObject(
        capture.admin,
        CAPTURE_SCHEDULES,
        { namespace, name },
        (live) => live?.status !== undefined && isSo(live.status),
      )) ?? expect.fail('the schedule is gone');
    const requestsOf = async (name: string) =>
      (await capture.admin.list(MANIFEST_CAPTURE_REQUESTS, { namespace })).items.filter(
        ({ metadata }) => metadata.ownerReferences?.[0]?.name === name,
      );
    const suspend = (name: string) =>
      capture.admin.patch(
        CAPTURE_SCHEDULES,
        { namespace, name },
        { type: 'merge', body: { spec: { suspend: true } } },
      );

    test('CAP-187 makes requests for manifests and volumes, keeps as many as it says, longer than other requests, and takes them along', async () => {
      await boundClaim(capture.admin, namespace, 'data');
      await create('often', {
        manifests: MANIFESTS,
        volumes: { externalErrorPolicy: 'Terminal' },
        retention: { count: 2 },
      });
      const isFull = ({ kept = 0, lastSuccessTime }: NonNullable<CaptureSchedule['status']>) =>
        kept >= 2 && lastSuccessTime !== undefined;
      await until('often', isFull);
      await suspend('often');
      await until(
        'often',
        ({ conditions, active }) => conditions?.[0]?.reason === 'Suspended' && active === 0,
      );
      const made = (await requestsOf('often')).filter(
        ({ status }) => status?.conditions?.[0]?.reason === 'Completed',
      );
      expect(made.length).toBeGreaterThanOrEqual(2);
      const claims = (await capture.admin.list(VOLUME_CAPTURE_REQUESTS, { namespace })).items;
      expect(new Set(claims.map(({ spec }) => spec.target?.name))).toEqual(new Set(['data']));
      const checkpoint = made[0]?.status?.checkpointName ?? expect.fail('nothing was captured');
      expect(await capture.admin.get(MANIFEST_CHECKPOINTS, { name: checkpoint })).toMatchObject({
        status: { totalObjects: 1 },
      });
      await capture.admin.delete(CAPTURE_SCHEDULES, { namespace, name: 'often' });
      await gone(capture.admin, MANIFEST_CHECKPOINTS, checkpoint);
      await expect.poll(() => requestsOf('often'), { timeout: 60_000 }).toEqual([]);
    });

    test('CAP-192 is rejected where its author may not do what its requests do, also when it is changed', async () => {
      const user = { username: 'may-only-schedule', groups: ['system:authenticated'] };
      const { group, resource } = CAPTURE_SCHEDULES;
      const rules = [{ apiGroups: [group], resources: [resource], verbs: ['create', 'patch'] }] as const;
      const { username } = user;
      await grantRole(capture.admin, { namespace, name: username, user: username, rules });
      const mine = capture.as(user);
      const rejected = await create('foreign', { manifests: MANIFESTS }, mine).catch(
        (error: unknown) => error,
      );
      expect(isForbidden(rejected)).toBe(true);
      await create('watched', { manifests: MANIFESTS, suspend: true });
      const body = { spec: { suspend: false } };
      const change = mine.patch(CAPTURE_SCHEDULES, { namespace, name: 'watched' }, { type: 'merge', body });
      expect(isForbidden(await change.catch((error: unknown) => error))).toBe(true);
      const live = await capture.admin.get(CAPTURE_SCHEDULES, { namespace, name: 'watched' });
      expect(live.metadata.annotations).toMatchObject({
        'capture.kubewright.io/requested-by': expect.any(String),
      });
      await capture.admin.delete(CAPTURE_SCHEDULES, { namespace, name: 'watched' });
    });

    test('CAP-195 says that the operator may not read what it is to capture', async () => {
      const kinds = [{ apiVersion: 'v1', kind: 'Secret' }];
      await create('secret', { manifests: { selection: { kinds } } });
      const { status } = await until('secret', ({ conditions }) => conditions?.[0]?.reason === 'Rejected');
      expect(status?.conditions?.[0]?.message).toContain('cannot list');
      await capture.admin.delete(CAPTURE_SCHEDULES, { namespace, name: 'secret' });
    });

    test('CAP-190 without anything to capture, or with a count of none, is invalid', async () => {
      await expect(create('empty', {})).rejects.toThrow('manifests or volumes is required');
      await expect(create('none', { manifests: MANIFESTS, retention: { count: 0 } })).rejects.toThrow(
        'retention.count',
      );
    });
  });
}
