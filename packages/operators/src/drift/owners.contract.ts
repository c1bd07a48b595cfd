import { randomUUID } from 'node:crypto';
import { type ApiError, type Client, isForbidden, type Ref } from '@kubewright/client';
import {
  apiextensionsv1,
  corev1,
  type CustomObject,
  customResource,
  type Infer,
  type KubeObject,
  ownerReferenceTo,
  s,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, type Hop, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const MASTERS = ['system:masters'];
const PATIENCE = { timeoutMs: 120_000 };
const GROUP = 'composed.example.com';
const schema = s.object({
  spec: s.object({ size: s.integer() }),
  status: s.optional(s.object({ conditions: s.optional(s.conditions()) })),
});
const kindOf = (kind: string, plural: string) =>
  customResource({ group: GROUP, version: 'v1', kind, plural, scope: 'Cluster', schema });
/** As Crossplane's: composites own composites and managed resources, none in a namespace, none with an observedGeneration. */
const COMPOSITES = kindOf('Composite', 'composites');
const MANAGED = kindOf('Managed', 'managed');
type Composed = Stored<CustomObject<Infer<typeof schema>, 'Cluster'>>;

const traceOf = (object: KubeObject): readonly Hop[] =>
  JSON.parse(annotationsOf(object)[ANNOTATIONS.trace] ?? '[]') as readonly Hop[];

/** Which owner counts, and where it may be. */
export function ownersContract(transport: () => Transport): void {
  describe('drift and owners', () => {
    const operator = useOperator(transport, driftParts, {
      anyKind: { apiGroups: [GROUP], resources: ['composites'] },
    });
    const { namespace } = operator;
    const prefix = randomUUID().slice(0, 8);
    let alice: Client;
    let ctl: Client;

    const make = (ref: Ref, by: Client, name: string, owner?: Composed): Promise<Stored> => {
      const ownerReferences = owner && [ownerReferenceTo(owner, { controller: true })];
      const metadata = { name: `${prefix}-${name}`, ...(ownerReferences && { ownerReferences }) };
      const object = { apiVersion: `${GROUP}/v1`, kind: ref === MANAGED ? 'Managed' : 'Composite', metadata };
      return by.create(ref, { ...object, spec: { size: 1 } });
    };
    const say = (object: Composed, ready: 'True' | 'False'): Promise<unknown> => {
      const about = { reason: 'Said', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
      const conditions = [
        { type: 'Synced', status: 'True', ...about },
        { type: 'Ready', status: ready, ...about },
      ];
      const { name } = object.metadata;
      const body = { status: { conditions } };
      return ctl.patch(COMPOSITES, { name }, { type: 'merge', body }, { subresource: 'status' });
    };
    /** Of a custom resource it is recorded a moment after the status was written. */
    const initialized = ({ metadata: { name } }: Composed): Promise<unknown> =>
      waitForObject(operator.admin, COMPOSITES, { name }, (live) => {
        const annotations = annotationsOf(live);
        const { generation } = live?.metadata ?? {};
        const seen = annotations[ANNOTATIONS.observedGeneration];
        return annotations[ANNOTATIONS.phase] === 'initialized' && seen === String(generation);
      });
    const composite = async (name: string, owner?: Composed): Promise<Composed> =>
      (await make(COMPOSITES, owner === undefined ? alice : ctl, name, owner)) as Composed;
    const ready = async (name: string): Promise<Composed> => {
      const made = await composite(name);
      await say(made, 'True');
      await initialized(made);
      return made;
    };
    const resize = (by: Client, ref: Ref, { metadata: { name } }: Stored, size: number): Promise<Stored> =>
      by.patch(ref, { name }, { type: 'merge', body: { spec: { size } } });
    /** By a person: of an owner that is ready, its controller could not create it. */
    const configMap = (name: string, owners: readonly object[]): Promise<unknown> =>
      alice.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name, ownerReferences: owners as never },
        data: { color: 'red' },
      });
    const paint = (name: string, color: string): Promise<corev1.ConfigMap> =>
      ctl.patch(corev1.configmaps, { namespace, name }, { type: 'merge', body: { data: { color } } });
    const denied = async (write: Promise<unknown>): Promise<void> => {
      const error: unknown = await write.catch((reason: unknown) => reason);
      expect(error).toSatisfy(isForbidden);
      expect((error as ApiError).message).toContain('no approval');
    };

    beforeAll(async () => {
      alice = operator.as({ username: 'alice', groups: MASTERS });
      ctl = operator.as({ username: 'crossplane', groups: MASTERS });
      await installDefinitions(operator.admin, [COMPOSITES.definition, MANAGED.definition], {
        fieldManager: 'test',
      });
      await createPolicy(operator.admin, `${namespace}-composed`, {
        mode: 'enforce',
        resources: [{ apiGroups: [GROUP], resources: ['composites', 'managed'] }],
      });
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      let tries = 0;
      await vi.waitFor(
        async () => {
          // A server may call a webhook a moment after it is configured.
          const made = await make(COMPOSITES, alice, `probe-${(tries += 1)}`);
          expect(annotationsOf(made)).toHaveProperty([ANNOTATIONS.updaters]);
        },
        { timeout: 30_000 },
      );
    });
    afterAll(async () => {
      for (const name of [namespace, `${namespace}-composed`])
        await operator.admin.delete(KAUSALITIES, { name });
      for (const { definition } of [COMPOSITES, MANAGED])
        await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
          name: definition.metadata.name ?? '',
        });
    });

    test('DRF-77 an owner without a namespace is judged like any other', async () => {
      const owner = await ready('global');
      await configMap('global', [ownerReferenceTo(owner, { controller: true })]);
      await denied(paint('global', 'blue'));
      await resize(alice, COMPOSITES, owner, 2);
      const live = await paint('global', 'blue');
      expect(traceOf(live)).toMatchObject([
        { kind: 'Composite', user: 'alice', generation: 2 },
        { kind: 'ConfigMap', user: 'crossplane' },
      ]);
      await say(owner, 'True');
      await initialized(owner);
      await denied(paint('global', 'green'));
    });

    test('DRF-77 it freezes, and approves once, as any other', async () => {
      const owner = await ready('approving');
      await configMap('approved', [ownerReferenceTo(owner, { controller: true })]);
      const annotate = (annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
        alice.patch(
          COMPOSITES,
          { name: owner.metadata.name },
          { type: 'merge', body: { metadata: { annotations } } },
        );
      const approval = { apiVersion: 'v1', kind: 'ConfigMap', name: 'approved', generation: 1, mode: 'once' };
      await annotate({ [ANNOTATIONS.approvals]: JSON.stringify([approval]) });
      await paint('approved', 'blue');
      await denied(paint('approved', 'green'));
      await annotate({ [ANNOTATIONS.freeze]: 'true', [ANNOTATIONS.approvals]: null });
      const byAlice = alice.patch(
        corev1.configmaps,
        { namespace, name: 'approved' },
        { type: 'merge', body: { data: { color: 'red' } } },
      );
      await expect(byAlice).rejects.toMatchObject({ message: expect.stringContaining('parent frozen') });
    });

    test('DRF-29 DRF-31 DRF-32 until it was ready once, what it owns is made; then it stays initialized', async () => {
      const owner = await composite('flapping');
      const controller = [ownerReferenceTo(owner, { controller: true })];
      const create = (name: string): Promise<corev1.ConfigMap> =>
        ctl.create(corev1.configmaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace, name, ownerReferences: controller },
        });
      const afterwards = [
        { kind: 'Composite', user: 'alice' },
        { kind: 'ConfigMap', user: 'crossplane' },
      ];
      expect(traceOf(await create('before-the-status'))).toMatchObject(afterwards);
      await say(owner, 'False');
      expect(traceOf(await create('before-it-is-ready'))).toMatchObject(afterwards);
      await say(owner, 'True');
      await initialized(owner);
      await denied(create('unasked'));
      await say(owner, 'False');
      await denied(create('unasked'));
      const live = await alice.get(COMPOSITES, { name: owner.metadata.name });
      expect(annotationsOf(live)).toMatchObject({ [ANNOTATIONS.phase]: 'initialized' });
    });

    test('DRF-23 of two owners the controller counts, whatever the other one does', async () => {
      const [stable, busy] = [await ready('stable'), await ready('busy')];
      await configMap('judged', [ownerReferenceTo(busy), ownerReferenceTo(stable, { controller: true })]);
      await configMap('expected', [ownerReferenceTo(stable), ownerReferenceTo(busy, { controller: true })]);
      await resize(alice, COMPOSITES, busy, 2);
      await denied(paint('judged', 'blue'));
      await paint('expected', 'blue');
    });

    test('DRF-24 an owner that is no controller is none: the object is a root', async () => {
      const owner = await ready('mere');
      await configMap('free', [ownerReferenceTo(owner)]);
      expect(traceOf(await paint('free', 'blue'))).toMatchObject([{ kind: 'ConfigMap', user: 'crossplane' }]);
    });

    test('DRF-79 a composite of composites is made, edited by a person, defended against its composition, and deleted', async () => {
      const top = await composite('top');
      await say(top, 'False');
      const middle = await composite('middle', top);
      expect(traceOf(middle)).toMatchObject([{ user: 'alice' }, { user: 'crossplane' }]);
      const bottom = await make(MANAGED, ctl, 'bottom', middle);
      expect(traceOf(bottom)).toMatchObject([{ user: 'alice' }, { user: 'crossplane' }, { kind: 'Managed' }]);
      for (const one of [middle, top]) {
        await say(one, 'True');
        await initialized(one);
      }
      const edited = await resize(alice, MANAGED, bottom, 2);
      expect(traceOf(edited)).toMatchObject([{ kind: 'Managed', user: 'alice' }]);
      await denied(resize(ctl, MANAGED, bottom, 1));
      await denied(resize(ctl, COMPOSITES, middle, 3));
      // The garbage collector deletes what depends on it, the last first.
      await alice.delete(COMPOSITES, { name: top.metadata.name }, { propagationPolicy: 'Foreground' });
      const isGone = (live: KubeObject | undefined): boolean => live === undefined;
      for (const [ref, { metadata }] of [
        [COMPOSITES, top],
        [COMPOSITES, middle],
        [MANAGED, bottom],
      ] as const)
        await waitForObject<KubeObject>(operator.admin, ref, { name: metadata.name }, isGone, PATIENCE);
    });

    test('DRF-79 its controller cleans up what is being deleted, itself', async () => {
      const top = await ready('leaving');
      const body = { metadata: { finalizers: ['composed.example.com/cleanup'] } };
      await alice.patch(COMPOSITES, { name: top.metadata.name }, { type: 'merge', body });
      const bottom = await make(MANAGED, alice, 'left', top);
      await denied(ctl.delete(MANAGED, { name: bottom.metadata.name }));
      await alice.delete(COMPOSITES, { name: top.metadata.name });
      await resize(ctl, MANAGED, bottom, 0);
      await ctl.delete(MANAGED, { name: bottom.metadata.name });
      await ctl.patch(
        COMPOSITES,
        { name: top.metadata.name },
        {
          type: 'merge',
          body: { metadata: { finalizers: null } },
        },
      );
    });
  });
}
