import { type ApiError, type Client, systemClock, withImpersonation } from '@kubewright/client';
import { apiextensionsv1, corev1, type Json, type Transport } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { runDoctor } from './commands/doctor/run-doctor.ts';
import { show } from './commands/show.ts';
import { snooze } from './commands/snooze.ts';
import { driftParts } from './controller.ts';
import { reconcileSite, type Render, SITE_CONTROLLER, version1, version2 } from './demo/site-controller.ts';
import { SITES } from './demo/site.ts';
import { commandStage, createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const ALICE = { username: 'alice', groups: ['system:masters'] };
const ANY_KIND = { apiGroups: ['demo.kubewright.io'], resources: ['sites'] };

/** The verbs that show and explain, by a person who looks for the cause of a denial. */
export function driftCommandsContract(transport: () => Transport): void {
  describe('kubewright drift', () => {
    const operator = useOperator(transport, driftParts, { anyKind: ANY_KIND });
    const { namespace } = operator;
    const web = { namespace, name: 'web' };
    let alice: Client;
    const run = (render: Render): Promise<boolean> =>
      reconcileSite(operator.as(SITE_CONTROLLER), web, render, systemClock.now());
    const denied = (render: Render = version2) =>
      run(render).then(
        () => expect.fail('denied'),
        (error: ApiError) => error.message,
      );
    const stage = (user = ALICE) =>
      commandStage(withImpersonation(transport(), { user: user.username, groups: user.groups }), namespace);
    const called = (args: readonly string[], options: Readonly<Record<string, string>> = {}) => ({
      args,
      options,
    });
    const driftEvents = async () =>
      (await alice.list(corev1.events, { namespace, fieldSelector: 'reason=DriftDetected' })).items;

    beforeAll(async () => {
      await installDefinitions(operator.admin, [SITES.definition], { fieldManager: 'test' });
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      alice = operator.as(ALICE);
      const site = {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: web,
        spec: { color: 'red' },
      };
      await alice.create(SITES, site);
      await run(version1);
      await waitForObject(
        alice,
        SITES,
        web,
        (live) => annotationsOf(live)[ANNOTATIONS.phase] === 'initialized',
      );
    });

    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
        name: SITES.definition.metadata.name ?? '',
      });
    });

    test('show: mode, parent, trace, the drift that was denied, and what to do', async () => {
      await denied();
      await expect.poll(driftEvents, { timeout: 20_000 }).not.toEqual([]);
      const shown = stage();
      await show(called(['configmap/web']), async () => shown);
      const text = shown.printed();
      expect(text).toContain(
        `ConfigMap web in namespace ${namespace}: mode enforce, by policy ${namespace}\n`,
      );
      expect(text).toContain(
        'Its parent is Site web: generation 1 is reconciled, so what its controller changes',
      );
      expect(text).toMatch(
        /alice changed Site web to generation 1\n.*site-controller changed ConfigMap web\n/,
      );
      expect(text).toMatch(/Drift\n +open, \d+ times, last \S+: .*updates ConfigMap web \(data.theme\)/);
      expect(text).toContain(`kubewright drift approve configmap/web -n ${namespace}`);
      const owner = stage();
      await show(called(['site/web']), async () => owner);
      expect(owner.printed()).toContain('It has no controller owner');
      expect(owner.printed()).toContain('updates ConfigMap web (data.theme)');
    });

    test('show: what does not exist is named, and what no policy names says so', async () => {
      await expect(show(called(['configmap/none']), async () => stage())).rejects.toThrow(
        `there is no ConfigMap "none" in namespace ${namespace}; choose another with -n`,
      );
      const shown = stage();
      await show(called(['namespace/kube-system']), async () => shown);
      expect(shown.printed()).toContain('no policy tracks it');
    });

    test('DRF-58 snooze: the verdict stays, and no Event follows until it ends', async () => {
      const before = await driftEvents();
      const said = stage();
      await snooze(called(['site/web'], { for: '8h', reason: 'later' }), async () => said);
      expect(said.printed()).toMatch(/^Site web is snoozed until \S+: drift is decided as before/);
      // A change of its own, so that no Event of another change counts.
      expect(await denied((site) => ({ ...version1(site), snoozed: 'yes' }))).toContain('(data.snoozed)');
      const live = await alice.get(SITES, web);
      expect(JSON.parse(live.metadata.annotations?.[ANNOTATIONS.snooze] ?? '')).toMatchObject({
        expiry: expect.any(String) as string,
        message: 'later',
      });
      await snooze(called(['site/web'], { for: '0' }), async () => stage());
      expect((await alice.get(SITES, web)).metadata.annotations?.[ANNOTATIONS.snooze]).toBeUndefined();
      await denied();
      // Events are sent in order: the one of the last denial has come, that of the snoozed one never was sent.
      const countOf = (events: readonly corev1.Event[]) =>
        events.reduce((sum, { count = 1 }) => sum + count, 0);
      await expect
        .poll(async () => countOf(await driftEvents()), { timeout: 20_000 })
        .toBeGreaterThan(countOf(before));
      const messages = (await driftEvents()).map(({ message }) => message);
      expect(messages).toContainEqual(expect.stringContaining('(data.theme)'));
      expect(messages).not.toContainEqual(expect.stringContaining('(data.snoozed)'));
      await expect(snooze(called(['site/web'], { for: 'soon' }), async () => stage())).rejects.toThrow(
        '--for is a time up to 720h',
      );
    });

    test('doctor: all is well', async () => {
      const asked = stage();
      await runDoctor(called([]), async () => asked);
      const text = asked.printed();
      expect(text).toMatch(/webhook +ok +kubewright-drift calls drift/);
      expect(text).toContain(`policy ${namespace} is in effect`);
      expect(text).toMatch(/self-exclusion +ok/);
      expect(text).toMatch(/paths +ok +only API servers know the paths of kubewright-drift/);
      expect(text).not.toMatch(/kw-[0-9a-f]{32}/);
      expect(text).toMatch(/certificates +ok/);
      expect(text).toMatch(/rights +ok .*annotate its owners: Site/);
      expect(text).toMatch(/parents +ok/);
      expect(text).toMatch(/clocks +ok +this computer's clock/);
    });

    test('doctor: an owner that the webhook may not read fails, with the command that grants it', async () => {
      const metadata = {
        namespace,
        name: 'of-a-job',
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j-1', controller: true }],
      };
      const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as const;
      const home = { metadata: { annotations: { [ANNOTATIONS.mode]: 'log' } } };
      await alice.patch(corev1.namespaces, { name: namespace }, { type: 'merge', body: home });
      await waitForLogMode();
      await alice.create(corev1.configmaps, configMap);
      const asked = stage();
      await expect(runDoctor(called([]), async () => asked)).rejects.toThrow('checks failed');
      expect(asked.printed()).toContain('drift-webhook may not get, list, watch, patch jobs.batch');
      expect(asked.printed()).toContain(
        'kubectl create clusterrole drift-jobs --verb=get,list,watch,patch --resource=jobs.batch && ' +
          'kubectl label clusterrole drift-jobs kubewright.io/aggregate-to-drift-webhook=true',
      );
      expect(asked.printed()).toContain('Job (batch/v1) owns tracked objects, and no policy names it');
      await alice.delete(corev1.configmaps, { namespace, name: 'of-a-job' });
    });

    test('doctor: what its user may not read is unknown, not well', async () => {
      const found: Json[] = [];
      const nobody = stage({ username: 'nobody', groups: [] });
      await runDoctor(called([]), async () => ({ ...nobody, print: ({ json }) => void found.push(json) }));
      expect(found[0]).toMatchObject([
        { check: 'webhook', status: 'unknown', what: expect.stringContaining('forbidden') as string },
        { check: 'policies', status: 'unknown' },
        { check: 'alarms', status: 'unknown' },
        { check: 'self-exclusion', status: 'unknown' },
        { check: 'paths', status: 'unknown' },
        { check: 'certificates', status: 'unknown' },
        { check: 'clocks' },
      ]);
    });

    /** Until the webhook's cache has seen the namespace's annotation. */
    async function waitForLogMode(): Promise<void> {
      await expect.poll(() => run(version2).catch(() => 'denied'), { timeout: 20_000 }).toBe(true);
    }
  });
}
