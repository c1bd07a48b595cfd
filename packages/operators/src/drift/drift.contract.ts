import type { ApiError } from '@kubewright/client';
import {
  type Client,
  createClient,
  isForbidden,
  isNotFound,
  systemClock,
  withImpersonation,
} from '@kubewright/client';
import { apiextensionsv1, corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, type Hop, KAUSALITIES } from './api.ts';
import { approve, reject } from './commands/approve.ts';
import { freeze } from './commands/freeze.ts';
import { list } from './commands/list.ts';
import { driftParts } from './controller.ts';
import { reconcileSite, type Render, SITE_CONTROLLER, version1, version2 } from './demo/site-controller.ts';
import { SITES } from './demo/site.ts';
import { commandStage, createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const ALICE = { username: 'alice', groups: ['system:masters'] };
const ANY_KIND = { apiGroups: ['demo.kubewright.io'], resources: ['sites'] };
const traceOf = (object: KubeObject): readonly Hop[] =>
  JSON.parse(annotationsOf(object)[ANNOTATIONS.trace] ?? '[]') as readonly Hop[];

/** The use case: a controller of a custom kind, and a version of it that changes what nobody asked it to change. */
export function driftContract(transport: () => Transport): void {
  describe('drift', () => {
    const operator = useOperator(transport, driftParts, { anyKind: ANY_KIND });
    const { namespace } = operator;
    const web = { namespace, name: 'web' };
    let alice: Client;
    const run = (render: Render, { name } = web): Promise<boolean> =>
      reconcileSite(operator.as(SITE_CONTROLLER), { namespace, name }, render, systemClock.now());
    const rejected = async (render: Render): Promise<string> => {
      const error: unknown = await run(render).catch((reason: unknown) => reason);
      expect(error).toSatisfy(isForbidden);
      return (error as ApiError).message;
    };
    const stage = () =>
      commandStage(withImpersonation(transport(), { user: ALICE.username, groups: ALICE.groups }), namespace);
    const called = (args: readonly string[], options: Readonly<Record<string, string>> = {}) => ({
      args,
      options,
    });

    beforeAll(async () => {
      await installDefinitions(operator.admin, [SITES.definition], { fieldManager: 'test' });
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      alice = operator.as(ALICE);
    });

    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
        name: SITES.definition.metadata.name ?? '',
      });
    });

    const sited = (color: string) => ({
      apiVersion: 'demo.kubewright.io/v1',
      kind: 'Site',
      metadata: web,
      spec: { color },
    });

    test('DRF-1 DRF-7 DRF-26 what follows from a change of a person goes through, with the trace on each object', async () => {
      await alice.create(SITES, sited('red'));
      await run(version1);
      // Her change of a Site that works.
      await waitForObject(
        alice,
        SITES,
        web,
        (site) => annotationsOf(site)[ANNOTATIONS.phase] === 'initialized',
      );
      await alice.patch(SITES, web, {
        type: 'merge',
        body: { metadata: { annotations: { 'kausality.io/trace-ticket': 'J-1' } }, spec: { color: 'blue' } },
      });
      await run(version1);
      const live = await alice.get(corev1.configmaps, web);
      expect(live.data).toEqual({ color: 'blue' });
      expect(traceOf(live)).toMatchObject([
        { kind: 'Site', name: 'web', generation: 2, user: 'alice', labels: { ticket: 'J-1' } },
        { kind: 'ConfigMap', name: 'web', user: SITE_CONTROLLER.username },
      ]);
      expect(traceOf(await alice.get(SITES, web))).toMatchObject([
        { kind: 'Site', user: 'alice', generation: 2 },
      ]);
    });

    test('DRF-47 DRF-78 what a new version of the controller changes unasked is denied, and Events say so', async () => {
      expect(await rejected(version2)).toBe(
        `admission webhook "${namespace}.drift.kubewright.io" denied the request: drift detected: no approval found for this mutation. ` +
          `${SITE_CONTROLLER.username} updates ConfigMap web (data.theme), but nobody has changed Site web, which owns it: ` +
          `its generation 2 is reconciled. Approve with: kubewright drift approve configmap/web -n ${namespace}`,
      );
      expect((await alice.get(corev1.configmaps, web)).data).toEqual({ color: 'blue' });
      await rejected(version2);
      const events = await expect
        .poll(
          async () =>
            (await alice.list(corev1.events, { namespace })).items.filter(
              ({ reason }) => reason === 'DriftDetected',
            ),
          { timeout: 20_000 },
        )
        .toMatchObject([
          {
            type: 'Warning',
            // kube-apiserver calls once more where its cache was behind.
            count: expect.toSatisfy((count: number) => count >= 2),
            involvedObject: { kind: 'Site', name: 'web' },
            related: { kind: 'ConfigMap', name: 'web' },
          },
        ])
        .then(() => stage());
      await list(called([]), async () => events);
      expect(events.printed()).toMatch(
        /site\/web +configmap\/web +open +2 +\S+ +.*updates ConfigMap web \(data.theme\)/,
      );
      const everywhere = commandStage(transport(), 'default');
      await list(called([], { allNamespaces: 'true' }), async () => everywhere);
      expect(everywhere.printed()).toMatch(new RegExp(`${namespace} +site/web +configmap/web +open`));
    });

    test('DRF-14 what a person changes goes through, and stays', async () => {
      await alice.patch(corev1.configmaps, web, { type: 'merge', body: { data: { note: 'mine' } } });
      expect(traceOf(await alice.get(corev1.configmaps, web))).toMatchObject([{ user: 'alice' }]);
      await rejected(version1);
      await alice.patch(corev1.configmaps, web, { type: 'merge', body: { data: { note: null } } });
    });

    test('DRF-50 DRF-59 DRF-60 approved by the command line, it goes through once', async () => {
      const said = stage();
      await approve(called(['configmap/web'], { reason: 'tried it' }), async () => said);
      expect(said.printed()).toBe('ConfigMap web of Site web: drift is approved once\n');
      const [approval] = JSON.parse(
        (await alice.get(SITES, web)).metadata.annotations?.[ANNOTATIONS.approvals] ?? '[]',
      ) as readonly object[];
      expect(approval).toMatchObject({
        kind: 'ConfigMap',
        name: 'web',
        generation: 2,
        mode: 'once',
        by: 'alice',
        reason: 'tried it',
      });
      // A dry run uses nothing up.
      const live = await alice.get(corev1.configmaps, web);
      const wanted = { ...live, data: { color: 'blue', theme: 'dark' } };
      await operator.as(SITE_CONTROLLER).update(corev1.configmaps, wanted, { dryRun: true });
      await run(version2);
      await rejected(version1);
      const changed = await alice.get(corev1.configmaps, web);
      expect(changed.data).toEqual({ color: 'blue', theme: 'dark' });
      expect(traceOf(changed)).toMatchObject([
        {
          kind: 'ConfigMap',
          approval: { mode: 'once', by: 'alice' },
          causedBy: { kind: 'Site', name: 'web', generation: 2 },
        },
      ]);
      await waitForObject(
        alice,
        SITES,
        web,
        (site) => site?.metadata.annotations?.[ANNOTATIONS.approvals] === undefined,
      );
      await rejected(version1);
    });

    test('DRF-52 approved for a generation, it goes through until the Site changes', async () => {
      await approve(called(['configmap/web'], { mode: 'generation' }), async () => stage());
      await run(version1);
      await run(version2);
      await alice.patch(SITES, web, { type: 'merge', body: { spec: { color: 'green' } } });
      await run(version2);
      await rejected(version1);
    });

    test('DRF-49 approved for always, it goes through again and again, and the approval stays', async () => {
      await approve(called(['configmap/web'], { mode: 'always' }), async () => stage());
      const approvals = async () =>
        (await alice.get(SITES, web)).metadata.annotations?.[ANNOTATIONS.approvals];
      const before = await approvals();
      expect(before).toContain('"mode":"always"');
      for (const render of [version1, version2, version1, version2]) await run(render);
      expect(await approvals()).toBe(before);
    });

    test('DRF-54 rejected, it is denied with the reason, whatever is approved', async () => {
      await run(version1);
      await reject(called(['configmap/web'], { reason: 'not this week' }), async () => stage());
      expect(await rejected(version2)).toContain('drift rejected: not this week');
    });

    test('DRF-57 frozen, nobody changes what the Site owns', async () => {
      await freeze(called(['site/web'], { reason: 'incident' }), async () => stage(), true);
      const byAlice: unknown = await alice
        .patch(corev1.configmaps, web, { type: 'merge', body: { data: { color: 'x' } } })
        .catch((reason: unknown) => reason);
      expect((byAlice as ApiError).message).toContain('parent frozen: incident (since ');
      await alice.patch(corev1.configmaps, web, {
        type: 'merge',
        body: { metadata: { labels: { a: 'b' } } },
      });
      await freeze(called(['site/web']), async () => stage(), false);
      await alice.patch(corev1.configmaps, web, { type: 'merge', body: { data: { color: 'x' } } });
    });

    test('DRF-48 DRF-62 where the mode is log, it goes through with a warning', async () => {
      const name = 'logged';
      await alice.create(SITES, { ...sited('red'), metadata: { namespace, name } });
      await run(version1, { namespace, name });
      await waitForObject(
        alice,
        SITES,
        { namespace, name },
        (site) => annotationsOf(site)[ANNOTATIONS.phase] === 'initialized',
      );
      const body = { metadata: { annotations: { [ANNOTATIONS.mode]: 'log' } } };
      await alice.patch(corev1.configmaps, { namespace, name }, { type: 'merge', body });
      const warnings: string[] = [];
      const { username: user, groups } = SITE_CONTROLLER;
      const warned = createClient(withImpersonation(transport(), { user, groups }), {
        onWarning: (text) => void warnings.push(text),
      });
      await reconcileSite(warned, { namespace, name }, version2, systemClock.now());
      expect(warnings).toEqual([
        expect.stringMatching(/^\[kausality\] drift detected: .*would be blocked in enforce mode/),
      ]);
      const live = await alice.get(corev1.configmaps, { namespace, name });
      expect(live.data).toEqual({ color: 'red', theme: 'dark' });
      expect(traceOf(live)).toMatchObject([{ kind: 'ConfigMap', user: SITE_CONTROLLER.username }]);
    });

    test('DRF-55 rejected, it is denied where the mode is log too', async () => {
      await reject(called(['configmap/logged'], { reason: 'not here' }), async () => stage());
      const denied: unknown = await run(version1, { namespace, name: 'logged' }).catch(
        (error: unknown) => error,
      );
      expect(denied).toSatisfy(isForbidden);
      expect((denied as ApiError).message).toContain('drift rejected: not here');
    });

    test('a restarted operator knows what it knew', async () => {
      await operator.restart();
      expect(await rejected(version2)).toContain('drift rejected');
      await expect(alice.get(corev1.configmaps, { namespace, name: 'none' })).rejects.toSatisfy(isNotFound);
    });
  });
}
