import {
  type ApiError,
  type Client,
  isForbidden,
  keyOf,
  systemClock,
  withImpersonation,
} from '@kubewright/client';
import {
  apiextensionsv1,
  appsv1,
  corev1,
  customResource,
  type JsonObject,
  ownerReferenceTo,
  s,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { approve, reject } from './commands/approve.ts';
import { freeze } from './commands/freeze.ts';
import { driftParts } from './controller.ts';
import { reconcileSite, SITE_CONTROLLER, version1 } from './demo/site-controller.ts';
import { SITES } from './demo/site.ts';
import { commandStage, createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';
import { hopsOf } from './testing/hops-of.ts';

const ALICE = { username: 'alice', groups: ['system:masters'] };
const FLUX = {
  username: 'system:serviceaccount:flux-system:kustomize-controller',
  groups: ['system:masters'],
};

/** What people write beside controllers and pipelines: whose word it is, and whether it takes effect. */
export function peopleContract(transport: () => Transport): void {
  describe('people, and what writes beside them', () => {
    const operator = useOperator(transport, driftParts, {
      anyKind: { apiGroups: [SITES.group, BROKERS.group], resources: ['sites', 'brokers'] },
    });
    const { namespace } = operator;
    const web = { namespace, name: 'web' };
    let alice: Client;
    let controller: Client;

    const stage = (user = ALICE) =>
      commandStage(withImpersonation(transport(), { user: user.username, groups: user.groups }), namespace);
    const call = (target: string, options: Readonly<Record<string, string>> = {}) => ({
      args: [target],
      options,
    });
    const createSite = (name: string) =>
      alice.create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: { namespace, name },
        spec: { color: 'red' },
      });
    const reconcile = (name: string): Promise<boolean> =>
      reconcileSite(controller, { namespace, name }, version1, systemClock.now());
    const isInitialized = (live: Stored | undefined): boolean =>
      annotationsOf(live)[ANNOTATIONS.phase] === 'initialized';

    beforeAll(async () => {
      const definitions = [SITES.definition, BROKERS.definition];
      await installDefinitions(operator.admin, definitions, { fieldManager: 'test' });
      await createPolicy(operator.admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace] },
        resources: [
          { apiGroups: [''], resources: ['configmaps'] },
          { apiGroups: ['apps'], resources: ['deployments'] },
          { apiGroups: [SITES.group, BROKERS.group], resources: ['sites', 'brokers'] },
        ],
      });
      alice = operator.as(ALICE);
      controller = operator.as(SITE_CONTROLLER);
      await createSite('web');
      await reconcile('web');
      await waitForObject(alice, SITES, web, isInitialized);
    });
    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      for (const { definition } of [SITES, BROKERS])
        await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
          name: definition.metadata.name ?? '',
        });
    });

    describe('children whose names the server generates', () => {
      /** The controller makes another one. */
      const make = async (): Promise<Stored> => {
        const ownerReferences = [ownerReferenceTo(await alice.get(SITES, web), { controller: true })];
        const metadata = { namespace, generateName: 'web-key-', ownerReferences };
        return controller.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      };
      const denied = async (): Promise<string> => {
        const error: unknown = await make().catch((reason: unknown) => reason);
        expect(error).toSatisfy(isForbidden);
        return (error as ApiError).message;
      };

      test('DRF-101 the approval that a denial advises allows the next one, and only that', async () => {
        const advised = `configmap/web-key-* --parent site/web -n ${namespace}`;
        expect(await denied()).toContain(`Approve with: kubewright drift approve ${advised}`);
        await approve(call('configmap/web-key-*', { parent: 'site/web' }), async () => stage());
        expect((await make()).metadata.name).toMatch(/^web-key-.+/);
        expect(await denied()).toContain('no approval');
        const order = call('configmap/web-*', { parent: 'site/web', mode: 'always' });
        await approve(order, async () => stage());
        await make();
        await reject(call('configmap/web-*', { parent: 'site/web', reason: 'enough' }), async () => stage());
        expect(await denied()).toContain('drift rejected: enough');
      });

      test('DRF-101 an approval that could match nothing is an error', async () => {
        const parent = 'site/web';
        await expect(approve(call('configmap/web-*-x', { parent }), async () => stage())).rejects.toThrow(
          '"configmap/web-*-x" matches nothing: in a name, * stands only at its end',
        );
        await expect(approve(call('configmap/web-*'), async () => stage())).rejects.toThrow(
          '"configmap/web-*" is for more than one child: name its owner with --parent',
        );
      });
    });

    test('DRF-102 a command that the webhook has undone says so, and prints no success', async () => {
      const said = stage(SITE_CONTROLLER);
      for (const run of [
        () => approve(call('configmap/web', { mode: 'generation' }), async () => said),
        () => reject(call('configmap/web', { reason: 'no' }), async () => said),
        () => freeze(call('site/web'), async () => said, true),
      ])
        await expect(run()).rejects.toMatchObject({
          code: 'Forbidden',
          message: expect.stringContaining(
            'of Site web stayed as before, because its controller may not change',
          ) as string,
        });
      expect(said.printed()).toBe('');
      const { annotations } = (await alice.get(SITES, web)).metadata;
      expect(annotations).not.toHaveProperty([ANNOTATIONS.freeze]);
    });

    test('DRF-103 a manifest with an approval, applied again by anybody, changes nothing', async () => {
      const labels = { app: 'git' };
      const approvals = [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: '*', generation: 1, mode: 'generation' },
      ];
      const manifest = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: {
          namespace,
          name: 'git',
          annotations: { [ANNOTATIONS.approvals]: JSON.stringify(approvals) },
        },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
        },
      } as const;
      const first = await alice.apply(appsv1.deployments, manifest, { fieldManager: 'kustomize' });
      const stored = first.metadata.annotations?.[ANNOTATIONS.approvals] ?? '';
      expect(JSON.parse(stored)).toMatchObject([
        { by: 'alice', specHash: expect.stringMatching(/^[0-9a-f]{16}$/) as string },
      ]);
      const flux = operator.as(FLUX);
      for (let times = 0; times < 3; times++) {
        const again = await flux.apply(appsv1.deployments, manifest, { fieldManager: 'kustomize' });
        expect(again.metadata.annotations?.[ANNOTATIONS.approvals]).toBe(stored);
        expect(again.metadata.generation).toBe(first.metadata.generation);
      }
      const annotations = {
        [ANNOTATIONS.approvals]: JSON.stringify([...approvals, { ...approvals[0], name: 'x' }]),
      };
      const next = await flux.patch(appsv1.deployments, keyOf(first), {
        type: 'merge',
        body: { metadata: { annotations } },
      });
      expect(JSON.parse(next.metadata.annotations?.[ANNOTATIONS.approvals] ?? '')).toMatchObject([
        { by: 'alice' },
        { name: 'x', by: FLUX.username },
      ]);
    });

    test('DRF-104 a person stays the origin where the controller writes defaults into its parent', async () => {
      const broker = { namespace, name: 'broker' };
      await alice.create(BROKERS, {
        apiVersion: 'test.kubewright.io/v1',
        kind: 'Broker',
        metadata: broker,
        spec: { image: 'broker:1' },
      });
      const change = (body: JsonObject, options = {}) =>
        controller.patch(BROKERS, broker, { type: 'merge', body }, options);
      const filled = await change({ spec: { replicas: 1 } });
      expect(hopsOf(filled).map(({ user }) => user)).toEqual(['alice', SITE_CONTROLLER.username]);
      const ownerReferences = [ownerReferenceTo(filled, { controller: true })];
      const metadata = { ...broker, ownerReferences };
      const made = await controller.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
      });
      expect(hopsOf(made).map(({ kind, user }) => `${kind} by ${user}`)).toEqual([
        'Broker by alice',
        `Broker by ${SITE_CONTROLLER.username}`,
        `ConfigMap by ${SITE_CONTROLLER.username}`,
      ]);
      const conditions = [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Up',
          message: '',
          lastTransitionTime: '2026-01-01T10:00:00Z',
        },
      ];
      const { generation: observedGeneration = 0 } = filled.metadata;
      await change({ status: { observedGeneration, conditions } }, { subresource: 'status' });
      await waitForObject(alice, BROKERS, broker, isInitialized);
      // Once all is done, what it fills in is its own doing.
      const later = await change({ spec: { probe: 'tcp' } });
      expect(hopsOf(later).map(({ user }) => user)).toEqual([SITE_CONTROLLER.username]);
    });
  });
}

/** A kind whose controller fills in what people leave out. */
const BROKERS = customResource({
  group: 'test.kubewright.io',
  version: 'v1',
  kind: 'Broker',
  plural: 'brokers',
  scope: 'Namespaced',
  schema: s.object({
    spec: s.object({
      image: s.string(),
      replicas: s.optional(s.integer()),
      probe: s.optional(s.string()),
    }),
    status: s.optional(
      s.object({
        observedGeneration: s.optional(s.integer({ format: 'int64' })),
        conditions: s.optional(s.conditions()),
      }),
    ),
  }),
});
