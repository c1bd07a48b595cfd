import { type Client, isForbidden, isNotFound } from '@kubewright/client';
import { appsv1, corev1, ownerReferenceTo, type Stored, type Transport } from '@kubewright/kube';
import { Registry, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ANNOTATIONS, type Approval, KAUSALITIES } from '../../packages/operators/src/drift/api.ts';
import { approve } from '../../packages/operators/src/drift/commands/approve.ts';
import { driftParts } from '../../packages/operators/src/drift/controller.ts';
import { commandStage, createPolicy } from '../../packages/operators/src/drift/testing/drift-stage.ts';
import { useOperator } from '../../packages/operators/src/kit/testing/use-operator.ts';
import { type Meddler, startMeddler } from './drift-meddler.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';

const CTL = { username: 'ctl', groups: ['system:masters'] };
const LABELS = { app: 'web' };
const WITHIN = { timeout: 30_000 };

/** An approval of mode `once` lets one change through, however often and in whatever order the server calls. */
export function onceContract(transport: () => Transport): void {
  describe('drift that is approved once', () => {
    const registry = new Registry();
    const operator = useOperator(transport, driftParts, { registry });
    const { namespace } = operator;
    const parentKey = { namespace, name: 'web' };
    let meddler: Meddler;
    let ctl: Client;
    let parent: Stored<appsv1.StatefulSet>;

    const configMap = (name: string) =>
      ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, ownerReferences: [ownerReferenceTo(parent, { controller: true })] },
        data: { theme: 'none' },
      }) as const;
    /** Undefined: it went through. */
    const denial = (write: Promise<unknown>): Promise<unknown> =>
      write.then(
        () => undefined,
        (error: unknown) => error,
      );
    const paint = (name: string, theme: string): Promise<unknown> =>
      denial(ctl.patch(corev1.configmaps, { namespace, name }, { type: 'merge', body: { data: { theme } } }));
    const themeOf = async (name: string): Promise<string | undefined> =>
      (await operator.admin.get(corev1.configmaps, { namespace, name })).data?.['theme'];
    const approvalsLeft = (): Promise<unknown> =>
      waitForObject(
        operator.admin,
        appsv1.statefulsets,
        parentKey,
        (live) => live?.metadata.annotations?.[ANNOTATIONS.approvals] === undefined,
        { timeoutMs: WITHIN.timeout },
      );
    const approveOnce = (name: string): Promise<void> =>
      approve({ args: [`configmap/${name}`], options: { parent: 'statefulset/web' } }, async () =>
        commandStage(transport(), namespace),
      );
    const approvedDecisions = async (): Promise<number> => {
      const line = /^kubewright_decisions_total\{controller="drift",reason="Approved"\} (\d+)/m;
      return Number(line.exec(await registry.metrics())?.[1] ?? 0);
    };

    beforeAll(async () => {
      ctl = operator.as(CTL);
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      parent = await ctl.create(appsv1.statefulsets, {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: parentKey,
        spec: {
          serviceName: 'web',
          selector: { matchLabels: LABELS },
          template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
        },
      });
      await vi.waitFor(async () => {
        // A server may call a webhook a moment after it is configured.
        const made = await ctl.apply(corev1.configmaps, configMap('repeated'), { fieldManager: 'ctl' });
        expect(annotationsOf(made)).toHaveProperty([ANNOTATIONS.updaters]);
        await ctl.delete(corev1.configmaps, { namespace, name: 'repeated' });
      }, WITHIN);
      for (const name of ['repeated', 'deleted', 'one', 'other'])
        await ctl.create(corev1.configmaps, configMap(name));
      const conditions = [{ type: 'Available', status: 'True' }];
      const body = { status: { observedGeneration: 1, replicas: 0, conditions } };
      const written = await ctl.patch(
        appsv1.statefulsets,
        parentKey,
        { type: 'merge', body },
        { subresource: 'status' },
      );
      expect(annotationsOf(written)).toMatchObject({ [ANNOTATIONS.phase]: 'initialized' });
      meddler = await startMeddler(operator.admin, namespace, 'one');
    });
    afterAll(async () => {
      await meddler.stop();
      await operator.admin.delete(KAUSALITIES, { name: namespace });
    });

    test('DRF-60 a server that repeats a patch after a conflict calls twice: one change goes through, one approval is used', async () => {
      expect(await paint('repeated', 'dark')).toSatisfy(isForbidden);
      await approveOnce('repeated');
      meddler.arm();
      expect(await paint('repeated', 'dark')).toBeUndefined();
      const requests = meddler.requests('repeated');
      // Each call has a uid of its own: nothing in a request says that it is the same write again.
      expect(requests.length).toBeGreaterThanOrEqual(2);
      expect(new Set(requests).size).toBe(requests.length);
      expect(await approvedDecisions()).toBe(requests.length);
      expect(await paint('repeated', 'light')).toSatisfy(isForbidden);
      expect(await themeOf('repeated')).toBe('dark');
      await approvalsLeft();
      expect(await paint('repeated', 'light')).toSatisfy(isForbidden);
    });

    test('DRF-50 with it goes what is stale; what lasts, or is for a later generation, stays', async () => {
      const about = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other' };
      const list: readonly Approval[] = [
        { ...about, mode: 'once' },
        { ...about, mode: 'generation', name: 'stale' },
        { ...about, mode: 'once', generation: 1 },
        { ...about, mode: 'always', name: 'another' },
        { ...about, mode: 'once', generation: 9 },
      ];
      const body = { metadata: { annotations: { [ANNOTATIONS.approvals]: JSON.stringify(list) } } };
      await operator.admin.patch(appsv1.statefulsets, parentKey, { type: 'merge', body });
      expect(await paint('other', 'light')).toBeUndefined();
      expect(await paint('other', 'dark')).toSatisfy(isForbidden);
      const approvals = async () => {
        const { metadata } = await operator.admin.get(appsv1.statefulsets, parentKey);
        return JSON.parse(metadata.annotations?.[ANNOTATIONS.approvals] ?? '[]') as readonly Approval[];
      };
      await expect.poll(approvals, WITHIN).toMatchObject(list.slice(3));
      const none = { metadata: { annotations: { [ANNOTATIONS.approvals]: null } } };
      await operator.admin.patch(appsv1.statefulsets, parentKey, { type: 'merge', body: none });
    });

    test('DRF-59 a dry run of what is approved goes through, and writes nothing', async () => {
      const gone = { namespace, name: 'deleted' };
      await approveOnce('deleted');
      const before = await operator.admin.get(appsv1.statefulsets, parentKey);
      expect(await denial(ctl.delete(corev1.configmaps, gone, { dryRun: true }))).toBeUndefined();
      expect(await operator.admin.get(appsv1.statefulsets, parentKey)).toEqual(before);
      const none = { metadata: { annotations: { [ANNOTATIONS.approvals]: null } } };
      await operator.admin.patch(appsv1.statefulsets, parentKey, { type: 'merge', body: none });
    });

    test('DRF-50 approved to delete it, the controller may not create it again', async () => {
      const gone = { namespace, name: 'deleted' };
      expect(await denial(ctl.delete(corev1.configmaps, gone))).toSatisfy(isForbidden);
      await approveOnce('deleted');
      expect(await denial(ctl.delete(corev1.configmaps, gone))).toBeUndefined();
      expect(await denial(ctl.create(corev1.configmaps, configMap('deleted')))).toSatisfy(isForbidden);
      await approvalsLeft();
      expect(await denial(operator.admin.get(corev1.configmaps, gone))).toSatisfy(isNotFound);
    });

    test('DRF-50 approved to create it, the controller may not create it again when somebody has deleted it', async () => {
      const key = { namespace, name: 'created' };
      await approveOnce('created');
      expect(await denial(ctl.create(corev1.configmaps, configMap('created')))).toBeUndefined();
      await operator.admin.delete(corev1.configmaps, key);
      expect(await denial(ctl.create(corev1.configmaps, configMap('created')))).toSatisfy(isForbidden);
      await approvalsLeft();
    });

    test('DRF-50 of several children that one approval names, written at once, one is', async () => {
      const approval: Approval = { apiVersion: 'v1', kind: 'ConfigMap', name: '*', generation: 1 };
      const annotations = { [ANNOTATIONS.approvals]: JSON.stringify([approval]) };
      const body = { metadata: { annotations } };
      await operator.admin.patch(appsv1.statefulsets, parentKey, { type: 'merge', body });
      const denials = await Promise.all([paint('one', 'dark'), paint('other', 'dark')]);
      expect(denials.filter((error) => error === undefined)).toHaveLength(1);
      expect(denials.filter((error) => isForbidden(error))).toHaveLength(1);
      await approvalsLeft();
    });
  });
}
