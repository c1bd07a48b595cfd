import type { Client } from '@kubewright/client';
import { appsv1, ownerReferenceTo, type Stored, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { userHash } from './annotations/user-hash.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { hopsOf } from './testing/hops-of.ts';
import { annotationsOf } from './testing/annotations-of.ts';

type Annotations = Readonly<Record<string, string | null>>;

const { trace, updaters, controllers, observedGeneration, phase, approvals, rejections, freeze } =
  ANNOTATIONS;
const WITHIN = { timeout: 30_000 };
const LABELS = { app: 'web' };
const TICKET = 'kausality.io/trace-ticket';
const TEAM = 'team.example.com/name';
/** About another object than those of the tests. */
const ABOUT_ANOTHER = '[{"apiVersion":"v1","kind":"Secret","name":"none"}]';
const STALE = { [trace]: '[]', [updaters]: 'zzzzz', [controllers]: 'zzzzz', [freeze]: 'false' };
/** So often the Deployment controller may copy annotations, while a rollout waits for its pods. */
const SYNCS = 100;

/** What is stored of the annotations that somebody sends, and that a controller copies. */
export function annotationsContract(transport: () => Transport): void {
  describe('annotations of drift', () => {
    const operator = useOperator(transport, driftParts);
    const { namespace } = operator;
    const web = { namespace, name: 'web' };
    const as = (username: string): Client => operator.as({ username, groups: ['system:masters'] });

    const spec = {
      replicas: 1,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    };
    const create = (user: string, name: string, annotations?: Readonly<Record<string, string>>) =>
      as(user).create(appsv1.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace, name, ...(annotations && { annotations }) },
        spec,
      });
    const patch = (
      user: string,
      annotations: Annotations,
      replicas?: number,
    ): Promise<Stored<appsv1.Deployment>> => {
      const body = { metadata: { annotations }, ...(replicas === undefined ? {} : { spec: { replicas } }) };
      return as(user).patch(appsv1.deployments, web, { type: 'merge', body });
    };
    const patchSet = (user: string, annotations: Annotations, minReadySeconds?: number) => {
      const body = { metadata: { annotations }, ...(minReadySeconds && { spec: { minReadySeconds } }) };
      return as(user).patch(appsv1.replicasets, web, { type: 'merge', body });
    };
    const observe = async (): Promise<void> => {
      const { generation = 0 } = (await as('ctl').get(appsv1.deployments, web)).metadata;
      const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1 };
      const status = { observedGeneration: generation, ...counts };
      await as('ctl').patch(
        appsv1.deployments,
        web,
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      );
    };

    beforeAll(async () => {
      const { admin } = operator;
      await createPolicy(admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      let tries = 0;
      await vi.waitFor(async () => {
        // A server may call a webhook a moment after it is configured.
        const made = await create('alice', `probe-${(tries += 1)}`);
        expect(annotationsOf(made)).toHaveProperty([updaters]);
      }, WITHIN);
    });
    afterAll(() => operator.admin.delete(KAUSALITIES, { name: namespace }));

    test('DRF-1 DRF-46 what a person creates has a trace, its writer, and what the person sent', async () => {
      const bare = await create('alice', 'bare');
      expect(Object.keys(annotationsOf(bare)).toSorted()).toEqual([trace, updaters]);
      expect(hopsOf(bare)).toMatchObject([
        { kind: 'Deployment', name: 'bare', generation: 1, user: 'alice' },
      ]);
      const made = await create('alice', 'web', { [TICKET]: 'J-1', [TEAM]: 'shop' });
      expect(annotationsOf(made)).toEqual({
        [trace]: expect.any(String),
        [updaters]: userHash('alice'),
        [TICKET]: 'J-1',
        [TEAM]: 'shop',
      });
      expect(hopsOf(made)).toMatchObject([{ user: 'alice', labels: { ticket: 'J-1' } }]);
    });

    test('DRF-2 DRF-3 DRF-4 a label leaves trace and writers alone; another spec has the trace of who changed it', async () => {
      const before = await as('bob').get(appsv1.deployments, web);
      const body = { metadata: { labels: { team: 'shop' } } };
      const labelled = await as('bob').patch(appsv1.deployments, web, { type: 'merge', body });
      expect(labelled.metadata.labels).toEqual({ team: 'shop' });
      expect(annotationsOf(labelled)).toEqual(annotationsOf(before));
      const byBob = await patch('bob', {}, 2);
      expect(hopsOf(byBob)).toMatchObject([{ user: 'bob', generation: 2 }]);
      expect(annotationsOf(byBob)[updaters]).toBe(['alice', 'bob'].map(userHash).join(','));
      const byAlice = await patch('alice', {}, 1);
      expect(hopsOf(byAlice)).toMatchObject([{ user: 'alice', generation: 3 }]);
      expect(annotationsOf(byAlice)[updaters]).toBe(annotationsOf(byBob)[updaters]);
    });

    test('DRF-43 a person freezes, approves, and takes it back; what the webhook writes is kept', async () => {
      await observe();
      const kept = annotationsOf(await patch('alice', { [freeze]: 'true', [approvals]: ABOUT_ANOTHER }));
      expect(kept).toMatchObject({ [freeze]: 'true', [approvals]: expect.stringContaining('"by":"alice"') });
      const sent = { ...STALE, [phase]: 'initialized', [observedGeneration]: '7', [freeze]: null };
      const edited = `${ABOUT_ANOTHER.slice(0, -2)},"mode":"always"}]`;
      const next = annotationsOf(await patch('alice', { ...sent, [approvals]: edited }));
      const { [freeze]: _frozen, [approvals]: _approved, ...system } = kept;
      expect(next).toEqual({ ...system, [approvals]: expect.stringContaining('"mode":"always"') });
      expect(system).toMatchObject({ [controllers]: userHash('ctl'), [updaters]: kept[updaters] });
    });

    test('DRF-38 a child that the controller creates with copies of all of them has a trace of its own, and no copy', async () => {
      const parent = await patch('alice', { [rejections]: ABOUT_ANOTHER, [freeze]: 'false' });
      const annotations = { ...annotationsOf(parent), [phase]: 'initialized' };
      expect(Object.keys(annotations).length).toBeGreaterThan(7);
      const ownerReferences = [ownerReferenceTo(parent, { controller: true })];
      const set = await as('ctl').create(appsv1.replicasets, {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { ...web, annotations, ownerReferences },
        spec,
      });
      expect(annotationsOf(set)).toEqual({
        [trace]: expect.any(String),
        [updaters]: userHash('ctl'),
        [TEAM]: 'shop',
      });
      expect(hopsOf(set)).toMatchObject([
        { kind: 'Deployment', user: 'alice' },
        { kind: 'ReplicaSet', user: 'ctl', generation: 1 },
      ]);
    });

    test(`DRF-39 DRF-40 what the controller copies afterwards is not stored, ${SYNCS} times, and other annotations are`, async () => {
      const own = { [approvals]: ABOUT_ANOTHER, 'kausality.io/trace-team': 'shop' };
      const before = annotationsOf(await patchSet('alice', own));
      const copies = { ...STALE, [approvals]: null, 'kausality.io/trace-team': null, [TEAM]: 'copied' };
      const first = await patchSet('ctl', copies);
      expect(annotationsOf(first)).toEqual({ ...before, [TEAM]: 'copied' });
      for (let sync = 0; sync < SYNCS; sync++)
        expect((await patchSet('ctl', copies)).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    test('DRF-41 with another spec only trace and writers are new', async () => {
      // The controller of the ReplicaSet.
      const body = { status: { replicas: 1, observedGeneration: 1 } };
      await as('sets').patch(appsv1.replicasets, web, { type: 'merge', body }, { subresource: 'status' });
      await patch('bob', {}, 2);
      const before = annotationsOf(await as('ctl').get(appsv1.replicasets, web));
      const set = await patchSet('ctl', { ...STALE, [approvals]: null }, 5);
      const { [trace]: _trace, ...kept } = before;
      expect(annotationsOf(set)).toEqual({ ...kept, [trace]: expect.any(String) });
      expect(kept).toMatchObject({ [controllers]: userHash('sets'), [updaters]: userHash('ctl') });
      expect(hopsOf(set)).toMatchObject([
        { kind: 'Deployment', user: 'bob' },
        { kind: 'ReplicaSet', user: 'ctl', generation: 2, labels: { team: 'shop' } },
      ]);
    });

    test('DRF-42 a person who changes the spec gives it a label, and takes an approval away', async () => {
      await patchSet('alice', { [approvals]: ABOUT_ANOTHER });
      const set = await patchSet('alice', { [TICKET]: 'X', [approvals]: null }, 6);
      expect(hopsOf(set)).toMatchObject([{ kind: 'ReplicaSet', user: 'alice', labels: { ticket: 'X' } }]);
      expect(annotationsOf(set)).toMatchObject({ [TICKET]: 'X', [controllers]: userHash('sets') });
      expect(annotationsOf(set)).not.toHaveProperty([approvals]);
    });
  });
}
