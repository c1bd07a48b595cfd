import { type ApiError, type Client, isForbidden } from '@kubewright/client';
import {
  apiextensionsv1,
  appsv1,
  corev1,
  formatTime,
  type KubeObject,
  ownerReferenceTo,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { entriesWith } from './annotations/noted-controllers.ts';
import { rewritten } from './annotations/object-record.ts';
import { userHash } from './annotations/user-hash.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { SITES } from './demo/site.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const MASTERS = ['system:masters'];
const LABELS = { app: 'web' };
const READY = { type: 'Ready', status: 'True', reason: 'Served', message: '' } as const;

/** What is recorded on parents, when, and that nobody's write suffers from it. */
export function recordsContract(transport: () => Transport): void {
  describe('what drift records', () => {
    const operator = useOperator(transport, driftParts, {
      anyKind: { apiGroups: [SITES.group], resources: ['sites'] },
    });
    const { namespace } = operator;
    const web = { namespace, name: 'web' };
    const as = (username: string): Client => operator.as({ username, groups: MASTERS });

    const own = (by: Client, owner: Stored, name: string): Promise<corev1.ConfigMap> =>
      by.apply(
        corev1.configmaps,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace, name, ownerReferences: [ownerReferenceTo(owner, { controller: true })] },
          data: { color: 'red' },
        },
        { fieldManager: 'test' },
      );
    const paint = (by: Client, name: string, color: string): Promise<unknown> =>
      by.patch(corev1.configmaps, { namespace, name }, { type: 'merge', body: { data: { color } } });
    const denied = async (write: Promise<unknown>): Promise<void> => {
      const error: unknown = await write.catch((reason: unknown) => reason);
      expect(error).toSatisfy(isForbidden);
      expect((error as ApiError).message).toContain('no approval');
    };
    const observe = (by: Client): Promise<unknown> => {
      const conditions = [{ type: 'Available', status: 'True' }];
      const body = { status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, conditions } };
      return by.patch(appsv1.deployments, web, { type: 'merge', body }, { subresource: 'status' });
    };

    beforeAll(async () => {
      await installDefinitions(operator.admin, [SITES.definition], { fieldManager: 'test' });
      await operator.admin.create(appsv1.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: web,
        spec: {
          selector: { matchLabels: LABELS },
          template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
        },
      });
      await observe(as('ctl'));
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
    });
    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
        name: SITES.definition.metadata.name ?? '',
      });
    });

    test('DRF-32 a parent that was ready before it was tracked is initialized for good, and nothing is written for that: a revert is still drift', async () => {
      const deployment = await operator.admin.get(appsv1.deployments, web);
      await vi.waitFor(
        async () => {
          // A server may call a webhook a moment after it is configured.
          const made = await own(as('ctl'), deployment, 'web');
          expect(annotationsOf(made)).toHaveProperty([ANNOTATIONS.updaters]);
        },
        { timeout: 30_000 },
      );
      const { metadata } = await operator.admin.get(appsv1.deployments, web);
      expect(metadata.resourceVersion).toBe(deployment.metadata.resourceVersion);
      await observe(as('ctl'));
      const recorded = await operator.admin.get(appsv1.deployments, web);
      expect(annotationsOf(recorded)).toMatchObject({ [ANNOTATIONS.phase]: 'initialized' });
      expect(recorded.metadata.generation).toBe(1);
      await denied(paint(as('ctl'), 'web', 'blue'));
    });

    test('DRF-9 a write of the status changes none of the annotations that it carries along', async () => {
      const before = await operator.admin.get(appsv1.deployments, web);
      const { trace, updaters, approvals } = ANNOTATIONS;
      const stale = {
        [trace]: '[]',
        [updaters]: 'zzzzz',
        [approvals]: '[{"name":"*"}]',
        'example.com/a': 'b',
      };
      const body = { metadata: { annotations: stale }, status: { replicas: 2 } };
      const ctl = as('ctl');
      const stored = await ctl.patch(
        appsv1.deployments,
        web,
        { type: 'merge', body },
        { subresource: 'status' },
      );
      expect(stored.status?.replicas).toBe(2);
      expect(annotationsOf(stored)).toEqual({ ...annotationsOf(before), 'example.com/a': 'b' });
    });

    test('DRF-12 first writes of a status meet no conflict, and who writes it second is a controller too', async () => {
      const key = { namespace, name: 'site' };
      await as('alice').create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: key,
        spec: { color: 'red' },
      });
      const recorded: string[] = [];
      for (const user of ['first', 'second']) {
        const live = await as(user).get(SITES, key);
        const conditions = [{ ...READY, lastTransitionTime: formatTime(new Date(0)) }];
        const status = { observedGeneration: 1, conditions };
        // With the resourceVersion that was read.
        await as(user).update(SITES, { ...live, status }, { subresource: 'status' });
        recorded.push(userHash(user));
        await waitForObject(
          operator.admin,
          SITES,
          key,
          (site) => annotationsOf(site)[ANNOTATIONS.controllers] === recorded.join(','),
        );
      }
      const site = await operator.admin.get(SITES, key);
      expect(annotationsOf(site)).toMatchObject({ [ANNOTATIONS.phase]: 'initialized' });
      await own(as('alice'), site, 'site');
      await denied(paint(as('first'), 'site', 'blue'));
      await denied(paint(as('second'), 'site', 'blue'));
    });

    test('who writes a status first is known when the process is killed before it records that', async () => {
      const key = { namespace, name: 'killed' };
      const created = await as('alice').create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: key,
        spec: { color: 'red' },
      });
      await own(as('alice'), created, 'killed');
      await paint(as('first'), 'killed', 'green');
      const conditions = [{ ...READY, lastTransitionTime: formatTime(new Date(0)) }];
      const status = { observedGeneration: 1, conditions };
      const written = await as('first').update(SITES, { ...created, status }, { subresource: 'status' });
      // What a new process finds: the object as that write has stored it.
      expect(annotationsOf(written)[ANNOTATIONS.controllers]).toBe(userHash('first'));
      const repeated = await as('first').update(SITES, written, { subresource: 'status' });
      expect(repeated.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
      await operator.restart();
      // A server may still call the one before, which is not there.
      await vi.waitFor(() => denied(paint(as('first'), 'killed', 'blue')), { timeout: 30_000 });
      await waitForObject(
        operator.admin,
        SITES,
        key,
        (live) => annotationsOf(live)[ANNOTATIONS.controllers] === userHash('first'),
      );
    });

    test('nobody but the webhook can name the controllers of an object in its managedFields', async () => {
      const key = { namespace, name: 'forged' };
      const bare = { apiVersion: 'demo.kubewright.io/v1', kind: 'Site', metadata: {} };
      const [forged] = entriesWith('zzzzz', bare);
      const managedFields = [
        forged ?? {},
        { ...forged, fieldsV1: { 'f:spec': { 'f:color': {} } } },
        ...rewritten(bare, { [ANNOTATIONS.controllers]: 'zzzzz' }),
      ];
      const controllersOf = (object: KubeObject) => annotationsOf(object)[ANNOTATIONS.controllers];
      const site = await as('alice').create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: { ...key, managedFields },
        spec: { color: 'red' },
      });
      expect(controllersOf(site)).toBeUndefined();
      const again = { ...site, metadata: { ...site.metadata, managedFields, labels: { a: 'b' } } };
      const updated = await as('alice').update(SITES, again);
      expect(controllersOf(updated)).toBeUndefined();
      const same = { ...updated, metadata: { ...updated.metadata, managedFields } };
      expect(controllersOf(await as('alice').update(SITES, same))).toBeUndefined();
      const only = {
        ...updated,
        metadata: { ...updated.metadata, managedFields: managedFields.slice(1) },
      };
      const { resourceVersion: _, ...metadata } = only.metadata;
      const last = await as('alice').patch(SITES, key, { type: 'merge', body: { metadata } });
      expect(controllersOf(last)).toBeUndefined();
    });

    test('DRF-68 a policy that cannot be meant is rejected; one that selects namespaces needs no names', async () => {
      const resources = [{ apiGroups: [''], resources: ['configmaps'] }];
      const selector = { matchLabels: { team: 'none' } };
      const create = (spec: object): Promise<unknown> =>
        operator.admin
          .create(
            KAUSALITIES,
            {
              apiVersion: 'kausality.io/v1alpha1',
              kind: 'Kausality',
              metadata: { name: `${namespace}-dry` },
              spec: { resources, mode: 'log', ...spec } as never,
            },
            { dryRun: true },
          )
          .catch((error: unknown) => error);
      expect(await create({ namespaces: { selector } })).toMatchObject({
        spec: { namespaces: { selector } },
      });
      expect(await create({ namespaces: { selector, excluded: ['a'] } })).toMatchObject({
        kind: 'Kausality',
      });
      const wrong: readonly (readonly [object, string])[] = [
        [{ resources: [{ apiGroups: ['*'], resources: ['pods'] }] }, "apiGroups must not contain '*'"],
        [
          { resources: [{ apiGroups: [''], resources: ['pods'], excluded: ['pods'] }] },
          "excluded needs '*' in resources",
        ],
        [{ namespaces: { selector, names: ['a'] } }, 'names and selector exclude each other'],
        [{ overrides: [{ mode: 'enforce' }] }, 'one of apiGroups, resources and namespaces is needed'],
        [{ resources: [] }, 'should have at least 1 items'],
        [{ mode: 'sometimes' }, 'Unsupported value: "sometimes"'],
      ];
      for (const [spec, message] of wrong)
        expect(await create(spec)).toMatchObject({ code: 422, message: expect.stringContaining(message) });
    });
  });
}
