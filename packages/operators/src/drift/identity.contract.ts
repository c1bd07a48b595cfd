import { type Client, isForbidden } from '@kubewright/client';
import { appsv1, corev1, ownerReferenceTo, type Stored, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { userHash } from './annotations/user-hash.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { hopsOf } from './testing/hops-of.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

type Parent = Stored<appsv1.StatefulSet>;

const WITHIN = { timeout: 30_000 };
const LABELS = { app: 'web' };

/** Who is taken for the controller of an owner, by whose writes. */
export function identityContract(transport: () => Transport): void {
  describe('drift and who writes', () => {
    const operator = useOperator(transport, driftParts);
    const { namespace } = operator;
    const as = (username: string): Client => operator.as({ username, groups: ['system:masters'] });
    /** Nobody has written its status since the installation. */
    let young: Parent;
    /** `ctl` has. */
    let known: Parent;
    /** `a` and `b` have. */
    let shared: Parent;

    const parent = async (name: string): Promise<Parent> => {
      const made = await operator.admin.create(appsv1.statefulsets, {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { namespace, name },
        spec: {
          serviceName: 'web',
          selector: { matchLabels: LABELS },
          template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
        },
      });
      await observe(operator.admin, name);
      return made;
    };
    /** The parent is stable: what it says is done. */
    const observe = async (by: Client, name: string): Promise<void> => {
      const { metadata } = await by.get(appsv1.statefulsets, { namespace, name });
      const conditions = [{ type: 'Available', status: 'True' }];
      const body = { status: { observedGeneration: metadata.generation ?? 0, replicas: 0, conditions } };
      await by.patch(
        appsv1.statefulsets,
        { namespace, name },
        { type: 'merge', body },
        { subresource: 'status' },
      );
    };
    const change = (name: string, revisionHistoryLimit: number): Promise<Parent> => {
      const body = { spec: { revisionHistoryLimit } };
      return as('alice').patch(appsv1.statefulsets, { namespace, name }, { type: 'merge', body });
    };
    const own = (name: string, owner: Parent, uid = owner.metadata.uid): Promise<unknown> =>
      operator.admin.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          namespace,
          name,
          ownerReferences: [{ ...ownerReferenceTo(owner, { controller: true }), uid }],
        },
      });
    const paint = (user: string, name: string, color: string): Promise<corev1.ConfigMap> =>
      as(user).patch(corev1.configmaps, { namespace, name }, { type: 'merge', body: { data: { color } } });
    const denied = (write: Promise<unknown>): Promise<void> => expect(write).rejects.toSatisfy(isForbidden);
    const updatersOf = (map: corev1.ConfigMap): readonly string[] =>
      (annotationsOf(map)[ANNOTATIONS.updaters] ?? '').split(',');
    const remove = (user: string, name: string): Promise<unknown> =>
      as(user).delete(corev1.configmaps, { namespace, name });

    beforeAll(async () => {
      // All of this is there before the operator tracks it.
      [young, known, shared] = [await parent('young'), await parent('known'), await parent('shared')];
      for (const name of ['edited', 'deleted', 'single', 'pair', 'untold']) await own(name, young);
      for (const name of ['mine', 'proxied', 'many', 'kept']) await own(name, known);
      await own('orphan', known, '00000000-0000-4000-8000-000000000000');
      await own('both', shared);
      await own('following', await parent('changed'));
      await change('changed', 3);
      const { admin } = operator;
      await createPolicy(admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      await vi.waitFor(async () => {
        // A server may call a webhook a moment after it is configured.
        await observe(as('ctl'), 'known');
        const live = await admin.get(appsv1.statefulsets, { namespace, name: 'known' });
        expect(annotationsOf(live)[ANNOTATIONS.controllers]).toBe(userHash('ctl'));
      }, WITHIN);
      for (const user of ['a', 'b']) await observe(as(user), 'shared');
    });
    afterAll(() => operator.admin.delete(KAUSALITIES, { name: namespace }));

    test('DRF-20 DRF-21 what was there before the installation, people may edit and delete', async () => {
      expect(hopsOf(await paint('alice', 'edited', 'blue'))).toMatchObject([
        { kind: 'ConfigMap', user: 'alice' },
      ]);
      await remove('alice', 'deleted');
    });

    test('DRF-18 before anybody has written the status, the only writer of an object is its controller', async () => {
      await paint('ctl', 'single', 'blue');
      await denied(paint('ctl', 'single', 'green'));
      await paint('alice', 'single', 'red');
    });

    test('DRF-19 of two writers it is not known who is: both may write', async () => {
      await paint('x', 'pair', 'blue');
      expect(updatersOf(await paint('y', 'pair', 'green'))).toEqual(['x', 'y'].map(userHash));
      for (const user of ['x', 'y'])
        expect(hopsOf(await paint(user, 'pair', user))).toMatchObject([{ kind: 'ConfigMap', user }]);
    });

    test('DRF-13 DRF-14 DRF-26 the controller writes when its parent was changed; then only others do', async () => {
      await denied(paint('ctl', 'mine', 'blue'));
      await change('known', 3);
      expect(hopsOf(await paint('ctl', 'mine', 'blue'))).toMatchObject([
        { kind: 'StatefulSet', name: 'known', generation: 2, user: 'alice' },
        { kind: 'ConfigMap', name: 'mine', user: 'ctl' },
      ]);
      await observe(as('ctl'), 'known');
      await denied(paint('ctl', 'mine', 'green'));
      expect(hopsOf(await paint('alice', 'mine', 'red'))).toMatchObject([
        { kind: 'ConfigMap', user: 'alice' },
      ]);
    });

    test('DRF-15 DRF-16 who has only written the object is not its controller, who writes the status is', async () => {
      for (const color of ['blue', 'green'])
        expect(hopsOf(await paint('proxy', 'proxied', color))).toMatchObject([{ user: 'proxy' }]);
      await denied(paint('ctl', 'proxied', 'red'));
    });

    test('DRF-17 of those who write the status, the controller is who has written the object', async () => {
      await change('shared', 3);
      await paint('a', 'both', 'blue');
      expect(updatersOf(await paint('x', 'both', 'green'))).toEqual(['a', 'x'].map(userHash));
      await observe(as('a'), 'shared');
      await denied(paint('a', 'both', 'red'));
      expect(hopsOf(await paint('b', 'both', 'red'))).toMatchObject([{ kind: 'ConfigMap', user: 'b' }]);
    });

    test('DRF-21 the controller does not delete unasked; others do', async () => {
      await denied(remove('ctl', 'kept'));
      await remove('alice', 'kept');
    });

    test('DRF-5 of seven writers the latest five are known, and still the controller is found', async () => {
      const people = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'];
      for (const user of people) await paint(user, 'many', user);
      const again = await paint('p4', 'many', 'again');
      expect(updatersOf(again)).toEqual(people.slice(2).map(userHash));
      await denied(paint('ctl', 'many', 'blue'));
    });

    test("DRF-25 an object whose owner was another one of that name is nobody's", async () => {
      expect(hopsOf(await paint('ctl', 'orphan', 'blue'))).toMatchObject([
        { kind: 'ConfigMap', user: 'ctl' },
      ]);
    });

    test('DRF-27 a parent that was changed before the installation is the first hop, by nobody knows whom', async () => {
      expect(hopsOf(await paint('ctl', 'following', 'blue'))).toMatchObject([
        { kind: 'StatefulSet', name: 'changed', generation: 2, user: '' },
        { kind: 'ConfigMap', name: 'following', user: 'ctl' },
      ]);
    });
  });
}
