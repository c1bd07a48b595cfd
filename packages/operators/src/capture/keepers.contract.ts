import { ignoreNotFound, isInvalid, keyOf } from '@kubewright/client';
import { corev1, type KubeObject, ownerReferenceTo, type Stored, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { MANIFEST_CAPTURE_REQUESTS } from './api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from './api/manifest-checkpoint.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from './api/object-keeper.ts';
import { captureParts } from './controller.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { failWith, interceptCalls } from './testing/intercepted-calls.ts';

const GC_MS = 90_000;
const ANY_KIND = { apiGroups: [''], resources: ['configmaps'] };

/** What keepers follow, own and take along, on a cluster with garbage collection. */
export function keepersContract(transport: () => Transport): void {
  describe('ObjectKeepers', () => {
    const calls = interceptCalls();
    const capture = useOperator(transport, captureParts, {
      anyKind: ANY_KIND,
      env: { REQUEST_TTL: '2s', KEEPER_SYNC_PERIOD: '1s' },
      time: calls.time,
    });
    const { namespace } = capture;

    const configMap = (name: string, finalizers: readonly string[] = []) =>
      capture.admin.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name, finalizers },
      });
    const keeper = (name: string, spec: ObjectKeeper['spec']): Promise<ObjectKeeper> =>
      capture.admin.create(OBJECT_KEEPERS, {
        apiVersion: 'deckhouse.io/v1alpha1',
        kind: 'ObjectKeeper',
        metadata: { name: `${namespace}-${name}` },
        spec,
      });
    const following = ({ apiVersion, kind, metadata: { name, uid } }: Stored) =>
      ({ mode: 'FollowObject', followObjectRef: { apiVersion, kind, namespace, name, uid } }) as const;
    const tracking = ({ metadata: { name } }: ObjectKeeper) =>
      waitForObject(capture.admin, OBJECT_KEEPERS, { name }, (live) => live?.status?.phase === 'Tracking');
    const gone = (ref: typeof OBJECT_KEEPERS | typeof MANIFEST_CHECKPOINTS, { metadata: { name } }: Stored) =>
      waitForObject<KubeObject>(capture.admin, ref, { name }, (live) => live === undefined, {
        timeoutMs: GC_MS,
      });

    test('CAP-98 CAP-105 goes with what it follows, and takes along what has no other owner', async () => {
      const followed = await configMap('one');
      const first = await keeper('one', following(followed));
      const other = await keeper('other', following(await configMap('other')));
      const checkpoint = (name: string, owners: readonly Stored[]) =>
        capture.admin.create(MANIFEST_CHECKPOINTS, {
          apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
          kind: 'ManifestCheckpoint',
          metadata: {
            name: `${namespace}-${name}`,
            ownerReferences: owners.map((owner) => ownerReferenceTo(owner)),
          },
        });
      const [alone, shared] = [
        await checkpoint('alone', [first]),
        await checkpoint('shared', [first, other]),
      ];
      await tracking(first);
      await capture.admin.delete(corev1.configmaps, { namespace, name: 'one' });
      await gone(OBJECT_KEEPERS, first);
      await gone(MANIFEST_CHECKPOINTS, alone);
      // The garbage collector has been here too when it has taken out the owner that is gone.
      const left = await waitForObject(
        capture.admin,
        MANIFEST_CHECKPOINTS,
        { name: shared.metadata.name },
        (live) => live?.metadata.ownerReferences?.length !== 2,
        { timeoutMs: GC_MS },
      );
      expect(left?.metadata.ownerReferences).toMatchObject([{ uid: other.metadata.uid }]);
      expect(left?.metadata.deletionTimestamp).toBeUndefined();
    });

    const looks = (name: string): number =>
      calls.made.filter(({ path }) => path.endsWith(`/configmaps/${name}`)).length;
    /** Resolves when the object has been read so often since. */
    const looked = async (name: string, times: number, since = looks(name)): Promise<void> => {
      await expect.poll(() => looks(name) - since).toBeGreaterThanOrEqual(times);
    };
    const stays = async ({ metadata: { name, uid } }: ObjectKeeper): Promise<ObjectKeeper> => {
      const live = await capture.admin.get(OBJECT_KEEPERS, { name });
      expect([live.metadata.uid, live.metadata.deletionTimestamp]).toEqual([uid, undefined]);
      return live;
    };

    test('CAP-99 CAP-100 stays until a finalizer lets its object go, and goes when that is made anew', async () => {
      const held = await configMap('held', ['example.com/hold']);
      const its = await keeper('held', following(held));
      await tracking(its);
      await capture.admin.delete(corev1.configmaps, { namespace, name: 'held' });
      await capture.restart();
      await looked('held', 3);
      expect((await stays(its)).status?.phase).toBe('Tracking');
      const body = { metadata: { finalizers: null } };
      await capture.admin.patch(corev1.configmaps, { namespace, name: 'held' }, { type: 'merge', body });
      await configMap('held');
      await capture.restart();
      await gone(OBJECT_KEEPERS, its);
    });

    test('CAP-101 CAP-D18 stays while its object is there, whatever reads say: gone once, unavailable, not served', async () => {
      const its = await keeper('flaky', following(await configMap('flaky')));
      await tracking(its);
      const path = /\/configmaps\/flaky$/;
      calls.on({ method: 'GET', path }, failWith(404, 'NotFound', 'not found', 'flaky'), 1);
      const lost = (live?: ObjectKeeper) => live?.status?.lostAt !== undefined;
      await waitForObject(capture.admin, OBJECT_KEEPERS, keyOf(its), lost);
      const found = (live?: ObjectKeeper) => live?.status?.phase === 'Tracking' && !lost(live);
      await waitForObject(capture.admin, OBJECT_KEEPERS, keyOf(its), found);
      for (const [code, reason] of [
        [503, 'ServiceUnavailable'],
        [504, 'Timeout'],
        // For the path of a kind that is not served there is no object to name.
        [404, 'NotFound'],
      ] as const) {
        const end = calls.on({ method: 'GET', path }, failWith(code, reason));
        await looked('flaky', 5);
        end();
        await looked('flaky', 2);
        await stays(its);
      }
      await waitForObject(capture.admin, OBJECT_KEEPERS, keyOf(its), found);
    });

    test('CAP-102 goes a TTL after its object was first seen to be gone, also when the process is another one then', async () => {
      const followed = await configMap('timed');
      const its = await keeper('timed', { ...following(followed), mode: 'FollowObjectWithTTL', ttl: '1h' });
      await tracking(its);
      await capture.admin.delete(corev1.configmaps, { namespace, name: 'timed' });
      const expiring = await waitForObject(
        capture.admin,
        OBJECT_KEEPERS,
        keyOf(its),
        (live) => live?.status?.lostAt !== undefined,
      );
      expect(expiring?.status?.phase).toBe('Expiring');
      const before = looks('timed');
      await capture.restart();
      await looked('timed', 1, before);
      expect((await stays(its)).status).toEqual(expiring?.status);
      const body = { spec: { ttl: '1s' } };
      await capture.admin.patch(OBJECT_KEEPERS, keyOf(its), { type: 'merge', body });
      await gone(OBJECT_KEEPERS, its);
    });

    test('CAP-103 goes when its time is over', async () => {
      await gone(OBJECT_KEEPERS, await keeper('ttl', { mode: 'TTL', ttl: '1s' }));
    });

    test('CAP-104 what contradicts itself is rejected', async () => {
      const ref = following(await configMap('valid'));
      const wrong: Readonly<Record<string, ObjectKeeper['spec']>> = {
        'a ttl to follow by': { ...ref, ttl: '1m' },
        'a ttl of nothing': { mode: 'TTL', ttl: '1m', followObjectRef: ref.followObjectRef },
        'nothing to follow': { mode: 'FollowObject' },
        'no uid': { ...ref, followObjectRef: { ...ref.followObjectRef, uid: '' } },
      };
      for (const [title, spec] of Object.entries(wrong))
        await expect(keeper('wrong', spec), title).rejects.toSatisfy(isInvalid);
    });

    test('CAP-112 a request that has failed expires, and its keeper with it', async () => {
      await admissionChecks(capture);
      const request = await capture.admin.create(MANIFEST_CAPTURE_REQUESTS, {
        apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
        kind: 'ManifestCaptureRequest',
        metadata: { namespace, name: 'brief' },
        spec: { targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nowhere' }] },
      });
      await waitForObject(
        capture.admin,
        MANIFEST_CAPTURE_REQUESTS,
        { namespace, name: 'brief' },
        (live) => live === undefined,
      );
      const left = async () => (await capture.admin.list(OBJECT_KEEPERS)).items;
      const its = (await left()).find(({ spec }) => spec.followObjectRef?.uid === request.metadata.uid);
      if (its !== undefined) await gone(OBJECT_KEEPERS, its);
      expect(
        await ignoreNotFound(capture.admin.get(MANIFEST_CAPTURE_REQUESTS, { namespace, name: 'brief' })),
      ).toBeUndefined();
    });
  });
}
