import { appsv1, corev1, isConditionTrue, type Transport } from '@kubewright/kube';
import { Registry, waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, ENFORCER } from './api.ts';
import { classesParts } from './controller.ts';
import { managersOf } from './managers-of.ts';
import { measuredShop } from './testing/measured-shop.ts';

/** Where Prometheus' HTTP API answers by what the pods' annotations say; `stop` ends it. */
export type PrometheusUnderTest = { readonly url: () => string; readonly stop: () => Promise<void> };

/** Load, recommendation and enforcement, over HTTP to a Prometheus, on a cluster with Deployments and nodes. */
export function enforcementContract(transport: () => Transport, prometheus: PrometheusUnderTest): void {
  describe('replicas of ClassRuntimes', () => {
    const registry = new Registry();
    const env = {
      get OPRC_CRM_PROM_URL() {
        return prometheus.url();
      },
      // Replicas become less once pods were watched for so long.
      OPRC_CRM_PROM_RANGE: '4s',
    };
    const classes = useOperator(transport, classesParts, { env, registry });
    const { namespace } = classes;
    const { shop, cart, write, until, replicasOf, conditionOf, decisionOf, ...load } = measuredShop(classes);
    const { use, annotate, createLoadedPod, replicasUntil } = load;

    test('CRT-N14 CRT-A08 in mode observe the recommendation rises with the load of its own pods, and replicas stay', async () => {
      await write('observe');
      await until(
        ({ phase, nfr_recommendations }) => phase === 'available' && nfr_recommendations?.['replicas'] === 1,
      );
      await annotate('app=shop-odgm', '5000m');
      await createLoadedPod('shop-admin-0', '5000m');
      await use('1400m');
      const { status = {} } = await until(({ nfr_odgm, nfr_details }) => {
        const cart = nfr_details?.find(({ function_key }) => function_key === 'shop.cart');
        return cart?.recommended === 3 && (nfr_odgm?.recommended ?? 0) > 3;
      });
      expect(status.nfr_details).toMatchObject([
        { function_key: 'shop.cart', recommended: 3, current: 1, basis: 'cpu', decision: 'SkipMode' },
        { function_key: 'shop.pay', recommended: 1, current: 1 },
      ]);
      expect(isConditionTrue(status.conditions, 'NfrObserved')).toBe(true);
      expect(isConditionTrue(status.conditions, 'NfrEnforced')).toBe(false);
      expect(await replicasOf('shop-fn-0')).toBe(1);
    });

    test('CRT-N23 CRT-N28 CRT-D13 in mode enforce replicas follow, a step per cooldown, and the class stays available', async () => {
      await write('enforce');
      const { status = {} } = await until((now) => now.last_applied_recommendations?.at(-1)?.target === 3);
      expect(status.last_applied_recommendations).toMatchObject([
        {
          component: 'function',
          function_key: 'shop.cart',
          dimension: 'replicas',
          target: 2,
          basis: 'enforcer',
        },
        {
          component: 'function',
          function_key: 'shop.cart',
          dimension: 'replicas',
          target: 3,
          basis: 'enforcer',
        },
      ]);
      const settled = await until(({ conditions }) => isConditionTrue(conditions, 'NfrEnforced'));
      expect(settled.status?.phase).toBe('available');
      expect(await replicasOf('shop-fn-0')).toBe(3);
      expect(await replicasOf('shop-fn-1')).toBe(1);
      // However much it uses.
      expect(await replicasOf('shop-odgm')).toBe(1);
      const { items } = await classes.admin.list(corev1.events, { namespace });
      const reasons = items
        .filter(({ involvedObject }) => involvedObject.kind === 'ClassRuntime')
        .map((one) => one.reason);
      expect(reasons).toEqual(
        expect.arrayContaining(['NFRSkippedStability', 'NFRDeltaBounded', 'NFRApplied']),
      );
    });

    test('CRT-N21 CRT-D37 what the template applies leaves them alone', async () => {
      await write('enforce', 2);
      await until(({ phase }) => phase === 'available');
      expect(await replicasOf('shop-fn-0')).toBe(3);
      const { metadata } = await classes.admin.get(appsv1.deployments, cart);
      const owners = (metadata.managedFields ?? []).filter((entry) =>
        JSON.stringify(entry).includes('f:replicas'),
      );
      expect(owners.map(({ manager }) => manager)).toContain(ENFORCER);
      expect(owners.map(({ manager }) => manager)).not.toContain('oprc-crm');
    });

    test('CRT-D31 metrics say what is recommended, and what was enforced', async () => {
      const text = await registry.metrics();
      const labels = `namespace="${namespace}",name="shop",function="shop.cart",dimension="replicas"`;
      expect(text).toContain(`crm_nfr_recommendation{${labels}} 3`);
      expect(text).toContain('crm_nfr_enforcement_apply_total{dimension="replicas"} 2');
      // One that found a conflict took its time, too.
      expect(text).toMatch(/^crm_nfr_enforcement_latency_seconds_count [2-9]$/m);
      expect(text).toContain('# TYPE crm_nfr_enforcement_fail_total counter');
      expect(text).toMatch(/^crm_nfr_enforcement_skip_total\{decision="WaitStability"\} [1-9]/m);
      const age = `crm_nfr_recommendation_age_seconds{namespace="${namespace}",name="shop",function="shop.cart"}`;
      // None of its pods may run yet: they have just become more.
      await expect.poll(() => registry.metrics(), { timeout: 60_000 }).toContain(age);
    });

    test('CRT-D46 metrics say what the operator does', async () => {
      const text = await registry.metrics();
      expect(text).toMatch(/^crm_reconcile_total\{result="ok"\} [1-9]/m);
      expect(text).toMatch(/^crm_reconcile_duration_seconds_count [1-9]/m);
      expect(text).toMatch(/^crm_apply_total\{kind="Deployment",result="done"\} [1-9]/m);
      expect(text).toMatch(/^crm_status_writes_total\{result="ok"\} [1-9]/m);
      expect(text).toMatch(/^crm_workqueue_depth \d/m);
      for (const state of ['healthy', 'degraded', 'lost'])
        expect(text).toContain(`crm_odgm_partitions{state="${state}"} 0`);
      expect(text).toContain('# TYPE crm_orphans_deleted_total counter');
      expect(text).toContain('# TYPE crm_child_missing_total counter');
    });

    test('metrics say how many classes are in each phase, and how long it took', async () => {
      const text = await registry.metrics();
      expect(text).toMatch(/^crm_classruntimes\{phase="available"\} [1-9]/m);
      expect(text).toContain('crm_classruntimes{phase="pending"} ');
      expect(text).toMatch(/^crm_condition\{type="Available",status="True"\} [1-9]/m);
      expect(text).toMatch(/^crm_phase_transitions_total\{.*to="available",reason="Ready"\} \d+$/m);
      expect(text).toContain('crm_phase_duration_seconds_count{phase="progressing"} ');
      expect(text).toMatch(/^crm_time_to_available_seconds_count [1-9]/m);
    });

    test('CRT-N24 replicas that another manager has taken are not taken back', async () => {
      const body = { spec: { replicas: 2 } };
      await classes.admin.patch(
        appsv1.deployments,
        cart,
        { type: 'merge', body },
        { fieldManager: 'somebody' },
      );
      const { status = {} } = await until(({ phase }) => phase === 'degraded');
      expect(status).toMatchObject({
        lifecycle: { reason: 'EnforceConflict' },
        nfr_recommendations: { replicas: 3 },
      });
      expect(status.message).toContain('conflict with "somebody"');
      expect(isConditionTrue(status.conditions, 'Serving')).toBe(true);
      expect(await replicasOf('shop-fn-0')).toBe(2);
      // They give it back, and it is tried again.
      const { metadata } = await classes.admin.get(appsv1.deployments, cart);
      const kept = (metadata.managedFields ?? []).filter(({ manager }) => manager !== 'somebody');
      await classes.admin.patch(appsv1.deployments, cart, {
        type: 'json',
        body: [{ op: 'replace', path: '/metadata/managedFields', value: kept }],
      });
      await until(({ phase }) => phase === 'available');
    });

    test('CRT-N22 in mode observe again, the template has them again', async () => {
      await write('observe', 2);
      await until(({ phase }) => phase === 'available');
      expect(await replicasOf('shop-fn-0')).toBe(2);
      const { metadata } = await classes.admin.get(appsv1.deployments, cart);
      expect(JSON.stringify(metadata.managedFields?.filter(({ manager }) => manager === ENFORCER))).toBe(
        '[]',
      );
    });

    test('CRT-N21 CRT-D11 the switch to mode enforce never takes a replica away', async () => {
      const before = await classes.admin.get(appsv1.deployments, cart);
      expect(managersOf(before, 'replicas')).toEqual(['oprc-crm']);
      const seen = replicasUntil(before, 3);
      await use('900m');
      await write('enforce', 2);
      await until((now) => decisionOf(now) === 'NoChange' && now.phase === 'available');
      await use('1400m');
      await until(({ conditions }) => isConditionTrue(conditions, 'NfrEnforced'));
      await waitForObject(classes.admin, appsv1.deployments, cart, (live) => live?.spec?.replicas === 3);
      const after = await classes.admin.get(appsv1.deployments, cart);
      expect(managersOf(after, 'replicas')).toEqual([ENFORCER]);
      expect(await seen).toEqual([2, 3]);
    });

    test('CRT-N30 a lower minimum takes no replica away: they become less by the load, in steps', async () => {
      await use('1900m');
      await write('observe', 5);
      await until(({ phase }) => phase === 'available');
      await write('enforce', 5);
      await until((now) => now.phase === 'available' && now.nfr_recommendations?.['replicas'] === 4);
      await waitForObject(classes.admin, appsv1.deployments, cart, (live) => live?.spec?.replicas === 5);
      const seen = replicasUntil(await classes.admin.get(appsv1.deployments, cart), 4);
      await write('enforce', 1);
      await waitForObject(classes.admin, appsv1.deployments, cart, (live) => live?.spec?.replicas === 4);
      expect(await seen).toEqual([5, 4]);
      expect(managersOf(await classes.admin.get(appsv1.deployments, cart), 'replicas')).toEqual([ENFORCER]);
    });

    test('CRT-A22 a required throughput that nothing measures keeps what was recommended, and the status names it', async () => {
      await use('1400m');
      await write('enforce', 2);
      await until((now) => now.nfr_recommendations?.['replicas'] === 3 && now.phase === 'available');
      const body = { spec: { nfr_requirements: { min_throughput_rps: 100 } } };
      await classes.admin.patch(CLASS_RUNTIMES, shop, { type: 'merge', body });
      await use('100m');
      const { status = {} } = await until(({ conditions = [] }) =>
        conditions.some(({ type, reason }) => type === 'NfrObserved' && reason === 'MissingSignal'),
      );
      expect(conditionOf(status)).toMatchObject({
        status: 'False',
        message: expect.stringContaining('throughput'),
      });
      expect(status.nfr_recommendations).toEqual(expect.objectContaining({ replicas: 3 }));
      await classes.admin.patch(CLASS_RUNTIMES, shop, {
        type: 'merge',
        body: { spec: { nfr_requirements: null } },
      });
      await until((now) => conditionOf(now)?.reason === 'PrometheusQueryOK');
    });

    test('CRT-A07 a Prometheus that does not answer scales nothing down', async () => {
      await use('1400m');
      await write('enforce', 2);
      await until((now) => decisionOf(now) === 'NoChange' && now.nfr_recommendations?.['replicas'] === 3);
      await prometheus.stop();
      const { status = {} } = await until((now) => decisionOf(now) === 'SkipStale');
      expect(status).toMatchObject({ phase: 'available', nfr_recommendations: { replicas: 3 } });
      expect(await replicasOf('shop-fn-0')).toBe(3);
      const labels = `namespace="${namespace}",name="shop",function="shop.cart",dimension="replicas"`;
      expect(await registry.metrics()).toContain(`crm_nfr_recommendation{${labels}} 3`);
    });

    test('CRT-A24 the status and an Event say that it is away', async () => {
      const { status = {} } = await until((now) => conditionOf(now)?.reason === 'PrometheusUnreachable');
      expect(conditionOf(status)).toMatchObject({
        status: 'False',
        message: expect.stringMatching(/^Prometheus cannot be reached: /),
      });
      await expect
        .poll(async () => {
          const { items } = await classes.admin.list(corev1.events, { namespace });
          return items.map(({ reason }) => reason);
        })
        .toContain('NFRPrometheusUnreachable');
    });
  });
}
