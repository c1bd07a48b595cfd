import { createClient, injectFaults, withImpersonation } from '@kubewright/client';
import {
  apiextensionsv1,
  appsv1,
  batchv1,
  corev1,
  customResource,
  type KubeObject,
  ownerReferenceTo,
  s,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const CTL = { username: 'ctl', groups: ['system:masters'] };
const WITHIN = { timeout: 30_000 };
const GROUP = 'leaving.example.com';
const LEAVING = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Leaving',
  plural: 'leavings',
  scope: 'Namespaced',
  schema: s.object({ spec: s.object({}) }),
});
const TEMPLATE = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
};

/** What becomes of writes whose owner cannot be read, for one reason or another. */
export function failuresContract(transport: () => Transport): void {
  describe('drift and owners that cannot be read', () => {
    let isBusy = false;
    const operator = useOperator(
      () =>
        injectFaults(transport(), ({ path }) =>
          isBusy && path.includes('/statefulsets/stuck')
            ? { type: 'status', status: 429, reason: 'TooManyRequests', retryAfterSeconds: 30 }
            : undefined,
        ),
      driftParts,
    );
    const { namespace } = operator;
    const ending = `${namespace}-ending`;
    const warnings: string[] = [];

    const configMap = (where: string, name: string, owner: Stored): Promise<corev1.ConfigMap> =>
      operator.admin.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          namespace: where,
          name,
          ownerReferences: [ownerReferenceTo(owner, { controller: true })],
        },
        data: { color: 'red' },
      });
    const patch = (name: string, body: object): Promise<corev1.ConfigMap> => {
      const { username: user, groups } = CTL;
      const ctl = createClient(withImpersonation(transport(), { user, groups }), {
        onWarning: (text) => void warnings.push(text),
      });
      return ctl.patch(corev1.configmaps, { namespace, name }, { type: 'merge', body: body as never });
    };
    const paint = (name: string, color: string) => patch(name, { data: { color } });
    const setMode = (mode: string | null): Promise<unknown> => {
      const body = { metadata: { annotations: { [ANNOTATIONS.mode]: mode } } };
      return operator.admin.patch(corev1.namespaces, { name: namespace }, { type: 'merge', body });
    };

    beforeAll(async () => {
      const { admin } = operator;
      await installDefinitions(admin, [LEAVING.definition], { fieldManager: 'test' });
      const metadata = { name: ending };
      await admin.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
      const job = (where: string): Promise<Stored> =>
        admin.create(batchv1.jobs, {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { namespace: where, name: 'web' },
          spec: { suspend: true, template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } },
        });
      for (const where of [namespace, ending]) await configMap(where, 'of-a-job', await job(where));
      const stuck = await admin.create(appsv1.statefulsets, {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { namespace, name: 'stuck' },
        spec: { serviceName: 'web', selector: { matchLabels: { app: 'web' } }, template: TEMPLATE },
      });
      await configMap(namespace, 'of-stuck', stuck);
      const leaving = await admin.create(LEAVING, {
        apiVersion: `${GROUP}/v1`,
        kind: 'Leaving',
        metadata: { namespace, name: 'web' },
        spec: {},
      });
      await configMap(namespace, 'of-leaving', leaving);
      await createPolicy(admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace, ending] },
      });
      // A server may call a webhook a moment after it is configured.
      await vi.waitFor(() => expect(paint('of-a-job', 'blue')).rejects.toMatchObject({ code: 500 }), WITHIN);
    });
    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
    });

    const isNotRead = (kind: string, name: string, why: string) => ({
      code: 500,
      message: expect.stringMatching(`cannot read ${kind} ${name}, which owns the object: .*${why}`),
    });

    test('DRF-73 one that the operator may not read: a change fails with the reason, what changes nothing goes through', async () => {
      await expect(paint('of-a-job', 'blue')).rejects.toMatchObject(isNotRead('Job', 'web', 'forbidden'));
      await patch('of-a-job', { metadata: { labels: { a: 'b' } } });
    });

    test('DRF-73 one that the server does not return in time fails in the same way, before the server gives up', async () => {
      isBusy = true;
      const late = isNotRead('StatefulSet', 'stuck', 'no response within');
      await expect(paint('of-stuck', 'blue')).rejects.toMatchObject(late);
    });

    test('DRF-73 in mode log both changes go through with a warning', async () => {
      await setMode('log');
      await vi.waitFor(() => paint('of-a-job', 'blue'), WITHIN);
      await paint('of-stuck', 'blue');
      expect(warnings).toEqual([
        '[kausality] cannot read Job web: the change is not checked',
        '[kausality] cannot read StatefulSet stuck: the change is not checked',
      ]);
      isBusy = false;
      await setMode(null);
      await vi.waitFor(() => expect(paint('of-a-job', 'green')).rejects.toMatchObject({ code: 500 }), WITHIN);
    });

    test('DRF-22 the garbage collector deletes what it has left behind; its controller deletes nothing', async () => {
      const key = { namespace, name: 'of-a-job' };
      const unasked = operator.as(CTL).delete(corev1.configmaps, key);
      await expect(unasked).rejects.toMatchObject(isNotRead('Job', 'web', 'forbidden'));
      const collector = operator.as({
        username: 'system:serviceaccount:kube-system:generic-garbage-collector',
        groups: ['system:masters'],
      });
      await collector.delete(corev1.configmaps, key);
    });

    test('DRF-22 in a namespace that is deleted it keeps nothing', async () => {
      const { admin } = operator;
      await admin.delete(corev1.namespaces, { name: ending });
      const key = { namespace: ending, name: 'of-a-job' };
      const cleaner = operator.as({
        username: 'system:serviceaccount:kube-system:namespace-controller',
        groups: ['system:masters'],
      });
      // Until the webhook's cache has seen that the namespace is being deleted.
      await vi.waitFor(() => cleaner.delete(corev1.configmaps, key), WITHIN);
      await waitForObject(admin, corev1.configmaps, key, (live) => live === undefined);
    });

    test('DRF-73 one whose kind the server does not serve any more is gone', async () => {
      const { admin } = operator;
      const name = `leavings.${GROUP}`;
      await admin.delete(apiextensionsv1.customresourcedefinitions, { name });
      await waitForObject<KubeObject>(
        admin,
        apiextensionsv1.customresourcedefinitions,
        { name },
        (live) => live === undefined,
      );
      // A server may serve the kind a moment longer.
      await vi.waitFor(async () => {
        const painted = await paint('of-leaving', 'blue');
        expect(annotationsOf(painted)[ANNOTATIONS.trace]).toMatch(
          /^\[\{"apiVersion":"v1","kind":"ConfigMap"/,
        );
      }, WITHIN);
    });
  });
}
