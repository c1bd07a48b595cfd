import { randomUUID } from 'node:crypto';
import { type Client, isForbidden, isInvalid } from '@kubewright/client';
import {
  admissionregistrationv1,
  apiextensionsv1,
  batchv1,
  corev1,
  type KubeObject,
  ownerReferenceTo,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { installDefinitions, Registry, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { NAMESPACE } from '../kit/install-objects.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ACCOUNTS, ANNOTATIONS, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { SITES } from './demo/site.ts';
import { CONFIGURATION } from './policy/webhook-entries.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { hopsOf } from './testing/hops-of.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const MASTERS = ['system:masters'];
const WITHIN = { timeout: 30_000 };
const CONFIGURATIONS = admissionregistrationv1.mutatingwebhookconfigurations;
const INGRESSES = { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' };
const NETWORK_POLICIES = { group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy' };

const isTraced = (object: KubeObject): boolean => annotationsOf(object)[ANNOTATIONS.trace] !== undefined;

/** What a policy names is checked, and nothing else, as soon as the policy says so and for as long. */
export function policiesContract(transport: () => Transport): void {
  describe('policies of drift', () => {
    const registry = new Registry();
    const operator = useOperator(transport, driftParts, {
      registry,
      anyKind: { apiGroups: [SITES.group], resources: ['sites'] },
    });
    const { namespace } = operator;
    const ctl = (): Client => operator.as({ username: 'ctl', groups: MASTERS });
    const site = { namespace, name: 'web' };
    const map = { namespace, name: 'map' };
    let admin: Client;
    let owner: Stored;
    /** Creates what an owner owns that the operator may not read. */
    let unreadable: () => Promise<KubeObject>;

    /** How often the webhook was called. */
    const calls = async (): Promise<number> => {
      const lines = /^controller_runtime_webhook_requests_total\{webhook="[^"]+",code="200"\} (\d+)/gm;
      const counts = [...(await registry.metrics()).matchAll(lines)].map(([, count]) => Number(count));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    const entry = async () => {
      const { webhooks = [] } = await admin.get(CONFIGURATIONS, { name: CONFIGURATION });
      const index = webhooks.findIndex(({ name }) => name.startsWith(`${namespace}.`));
      return { index, webhook: webhooks[index] };
    };
    const paint = (color: string, annotations = {}): Promise<corev1.ConfigMap> =>
      ctl().patch(corev1.configmaps, map, {
        type: 'merge',
        body: { metadata: { annotations }, data: { color } },
      });
    const policyFor = (where: string): Promise<KubeObject> =>
      admin.create<KubeObject>(NETWORK_POLICIES, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { namespace: where, name: `web-${randomUUID().slice(0, 8)}` },
        spec: { podSelector: {} },
      });

    beforeAll(async () => {
      ({ admin } = operator);
      await createPolicy(admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace] },
        resources: [
          { apiGroups: [SITES.group], resources: ['*'] },
          { apiGroups: [''], resources: ['configmaps', 'endpoints'] },
          { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies', 'ingresses'] },
        ],
      });
      // A server may call a webhook a moment after it is configured.
      await vi.waitFor(async () => expect(isTraced(await policyFor(namespace))).toBe(true), WITHIN);
    });
    afterAll(async () => {
      await admin.delete(KAUSALITIES, { name: namespace });
      const { name } = SITES.definition.metadata;
      await admin.delete(apiextensionsv1.customresourcedefinitions, { name });
    });

    test('DRF-67 the plural of a kind is no guess, and in other namespaces nothing is annotated', async () => {
      expect(isTraced(await policyFor(namespace))).toBe(true);
      const metadata = { namespace, name: 'web' };
      const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata };
      expect(isTraced(await admin.create<KubeObject>(corev1.endpoints, endpoints))).toBe(true);
      const defaultBackend = { service: { name: 'web', port: { number: 80 } } };
      const ingress = {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata,
        spec: { defaultBackend },
      };
      expect(isTraced(await admin.create<KubeObject>(INGRESSES, ingress))).toBe(true);
      expect((await policyFor('default')).metadata.annotations).toBeUndefined();
    });

    test('DRF-66 a kind that is defined later is covered too, where a policy names its whole group', async () => {
      await installDefinitions(admin, [SITES.definition], { fieldManager: 'test' });
      const created = await admin.create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: site,
        spec: { color: 'red' },
      });
      expect(isTraced(created)).toBe(true);
    });

    test('DRF-63 a controller does not let itself through by an annotation for the mode', async () => {
      const ready = { type: 'Ready', status: 'True', reason: 'Served', message: '' } as const;
      const conditions = [{ ...ready, lastTransitionTime: '2026-01-01T10:00:00Z' }];
      const body = { status: { observedGeneration: 1, conditions } };
      await ctl().patch(SITES, site, { type: 'merge', body }, { subresource: 'status' });
      const isKnown = (live: KubeObject | undefined): boolean =>
        annotationsOf(live)[ANNOTATIONS.phase] === 'initialized';
      await waitForObject(admin, SITES, site, isKnown);
      owner = await admin.get(SITES, site);
      const ownerReferences = [ownerReferenceTo(owner, { controller: true })];
      const metadata = { ...map, ownerReferences };
      const data = { color: 'red' };
      await admin.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      await expect(paint('blue', { [ANNOTATIONS.mode]: 'log' })).rejects.toSatisfy(isForbidden);
      await expect(paint('blue')).rejects.toSatisfy(isForbidden);
    });

    test('DRF-61 an approval is still there for a change that was not valid when it was first made', async () => {
      const once = [{ apiVersion: 'v1', kind: 'ConfigMap', name: map.name, generation: 1, mode: 'once' }];
      const annotations = { [ANNOTATIONS.approvals]: JSON.stringify(once) };
      await admin.patch(SITES, site, { type: 'merge', body: { metadata: { annotations } } });
      const invalid = { data: { 'no key': '' } };
      const sent = ctl().patch(corev1.configmaps, map, { type: 'merge', body: invalid });
      await expect(sent).rejects.toSatisfy(isInvalid);
      expect((await paint('blue')).data).toEqual({ color: 'blue' });
      await expect(paint('black')).rejects.toSatisfy(isForbidden);
      const isUsed = (live: KubeObject | undefined): boolean =>
        live?.metadata.annotations?.[ANNOTATIONS.approvals] === undefined;
      await waitForObject(admin, SITES, site, isUsed);
      owner = await admin.get(SITES, site);
    });

    test('DRF-64 of two policies the more special one decides, and one change is one hop', async () => {
      const special = `${namespace}-special`;
      const objectSelector = { matchLabels: { team: 'shop' } };
      await createPolicy(admin, special, {
        mode: 'log',
        namespaces: { names: [namespace] },
        objectSelector,
        resources: [{ apiGroups: [''], resources: ['configmaps'] }],
      });
      await expect(paint('special')).rejects.toSatisfy(isForbidden);
      await admin.patch(corev1.configmaps, map, {
        type: 'merge',
        body: { metadata: { labels: objectSelector.matchLabels } },
      });
      await vi.waitFor(async () => {
        const painted = await paint('special');
        expect(hopsOf(painted)).toMatchObject([{ kind: 'ConfigMap', user: 'ctl' }]);
      }, WITHIN);
      await admin.delete(KAUSALITIES, { name: special });
      await vi.waitFor(() => expect(paint(randomUUID())).rejects.toSatisfy(isForbidden), WITHIN);
    });

    test('DRF-73 what an unreadable owner owns is not changed where drift is denied', async () => {
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'web:1' }] } };
      const job = await admin.create(batchv1.jobs, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: site,
        spec: { suspend: true, template } as never,
      });
      const create = () =>
        ctl().create(corev1.configmaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            namespace,
            name: 'of-the-job',
            ownerReferences: [ownerReferenceTo(job, { controller: true })],
          },
        });
      await expect(create()).rejects.toMatchObject({
        code: 500,
        message: expect.stringContaining('cannot read Job web, which owns the object'),
      });
      unreadable = create;
    });

    test('DRF-45 what the operator itself writes is stored as it is', async () => {
      const username = `system:serviceaccount:${NAMESPACE}:${ACCOUNTS.webhook}`;
      const annotations = { [ANNOTATIONS.observedGeneration]: '7' };
      const patch = (by: Client) =>
        by.patch(SITES, site, { type: 'merge', body: { metadata: { annotations } } });
      const { metadata } = owner;
      const before = await calls();
      expect((await patch(admin)).metadata.annotations).toEqual(metadata.annotations);
      const after = await calls();
      expect(after).toBeGreaterThan(before);
      const own = operator.as({ username, groups: MASTERS });
      expect((await patch(own)).metadata.annotations).toEqual({ ...metadata.annotations, ...annotations });
      // It was not even called.
      expect(await calls()).toBe(after);
    });

    test('DRF-74 a webhook that somebody edits is as it was a moment later', async () => {
      const before = await entry();
      const path = `/webhooks/${before.index}`;
      const edits = [
        { op: 'replace', path: `${path}/failurePolicy`, value: 'Ignore' },
        { op: 'replace', path: `${path}/rules`, value: [] },
      ];
      await admin.patch(CONFIGURATIONS, { name: CONFIGURATION }, { type: 'json', body: edits });
      await vi.waitFor(async () => expect(await entry()).toEqual(before), WITHIN);
    });

    test('DRF-66 DRF-73 a policy that is set to log lets drift through without a restart', async () => {
      await admin.patch(KAUSALITIES, { name: namespace }, { type: 'merge', body: { spec: { mode: 'log' } } });
      await vi.waitFor(async () => expect((await paint('green')).data).toEqual({ color: 'green' }), WITHIN);
      // DRF-73: nor is anything denied because its owner cannot be read.
      expect(await unreadable()).toMatchObject({ metadata: { name: 'of-the-job' } });
    });
  });
}
