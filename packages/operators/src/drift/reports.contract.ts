import { type Client, isForbidden, systemClock, withImpersonation } from '@kubewright/client';
import { apiextensionsv1, corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { approve } from './commands/approve.ts';
import { driftParts } from './controller.ts';
import { reconcileSite, type Render, SITE_CONTROLLER, version1, version2 } from './demo/site-controller.ts';
import { SITES } from './demo/site.ts';
import { commandStage, createPolicy } from './testing/drift-stage.ts';
import { reportBackend } from './testing/report-backend.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const ALICE = { username: 'alice', groups: ['system:masters'] };
const ANY_KIND = { apiGroups: ['demo.kubewright.io'], resources: ['sites'] };

/** What a backend hears of a drift, from the first attempt to its end. */
export function driftReportsContract(transport: () => Transport): void {
  describe('drift reports', () => {
    const backend = reportBackend();
    const outbox = useFolder();
    const env: Record<string, string> = {};
    // Before the operator starts, which reads it.
    beforeAll(async () => {
      const backends = [{ url: await backend.listen(), retryCount: 1, retryInterval: '10ms' }];
      env['DRIFT_REPORTS'] = JSON.stringify({ backends, outbox });
    });
    const operator = useOperator(transport, driftParts, { anyKind: ANY_KIND, env });
    const { namespace } = operator;
    const web = { namespace, name: 'web' };
    let alice: Client;
    const run = (render: Render): Promise<boolean> =>
      reconcileSite(operator.as(SITE_CONTROLLER), web, render, systemClock.now());
    const denied = () => expect(run(version2)).rejects.toSatisfy(isForbidden);
    const phases = () =>
      backend.acknowledged.map(({ spec: { phase, resolution = '' } }) => `${phase} ${resolution}`.trim());
    const heard = (expected: readonly string[]) => expect.poll(phases, { timeout: 20_000 }).toEqual(expected);
    const lastIds = (count: number) =>
      new Set(backend.acknowledged.slice(-count).map(({ spec }) => spec.id)).size;

    beforeAll(async () => {
      await installDefinitions(operator.admin, [SITES.definition], { fieldManager: 'test' });
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      alice = operator.as(ALICE);
      const spec = { color: 'red' };
      await alice.create(SITES, { apiVersion: 'demo.kubewright.io/v1', kind: 'Site', metadata: web, spec });
      await run(version1);
      const isReady = (site?: KubeObject) => annotationsOf(site)[ANNOTATIONS.phase] === 'initialized';
      await waitForObject(alice, SITES, web, isReady);
    });

    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
        name: SITES.definition.metadata.name ?? '',
      });
      await backend.close();
    });

    test('DRF-59 DRF-69 DRF-70 a drift is detected once, and resolved under the same id when the parent changes', async () => {
      // A dry run is no attempt: this change is not reported.
      const live = await alice.get(corev1.configmaps, web);
      const tried = { ...live, data: { color: 'tried' } };
      const dry = operator.as(SITE_CONTROLLER).update(corev1.configmaps, tried, { dryRun: true });
      await expect(dry).rejects.toSatisfy(isForbidden);
      await denied();
      await denied();
      await heard(['Detected']);
      await alice.patch(SITES, web, { type: 'merge', body: { spec: { color: 'blue' } } });
      await heard(['Detected', 'Resolved ParentChanged']);
      expect(lastIds(2)).toBe(1);
      await run(version1);
    });

    test('DRF-70 DRF-71 a report survives a restart of the operator, and an approval resolves it', async () => {
      const before = phases();
      backend.reject(2);
      await denied();
      await expect.poll(() => backend.rejected, { timeout: 20_000 }).toBe(2);
      await operator.restart();
      await heard([...before, 'Detected']);
      const { username: user, groups } = ALICE;
      const stage = commandStage(withImpersonation(transport(), { user, groups }), namespace);
      await approve({ args: ['configmap/web'], options: {} }, async () => stage);
      await run(version2);
      await heard([...before, 'Detected', 'Resolved Approved']);
      expect(lastIds(2)).toBe(1);
    });

    test('DRF-70 DRF-72 a deletion is reported with the object, and resolved when somebody deletes it', async () => {
      const before = phases();
      const ctl = operator.as(SITE_CONTROLLER);
      await expect(ctl.delete(corev1.configmaps, web)).rejects.toSatisfy(isForbidden);
      await heard([...before, 'Detected']);
      expect(backend.acknowledged.at(-1)?.spec).toMatchObject({
        child: { kind: 'ConfigMap', name: 'web', namespace },
        oldObject: { kind: 'ConfigMap', data: { color: 'blue', theme: 'dark' } },
        newObject: null,
        request: { operation: 'DELETE', user: SITE_CONTROLLER.username },
      });
      await alice.delete(corev1.configmaps, web);
      await heard([...before, 'Detected', 'Resolved Deleted']);
      expect(lastIds(2)).toBe(1);
    });

    test('DRF-48 in mode log it is reported too, though nothing is denied', async () => {
      const before = phases();
      const body = { metadata: { annotations: { [ANNOTATIONS.mode]: 'log' } } };
      await alice.patch(SITES, web, { type: 'merge', body });
      // The ConfigMap is gone, and nobody has changed the Site since.
      await run(version2);
      await heard([...before, 'Detected']);
      expect(backend.acknowledged.at(-1)?.spec).toMatchObject({ request: { operation: 'CREATE' } });
    });
  });
}
