import { appsv1, corev1, isConditionTrue, type Transport } from '@kubewright/kube';
import { Registry, waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime, ENFORCER } from './api.ts';
import { classesParts } from './controller.ts';

/** Where Prometheus' HTTP API answers by what the pods' annotations say; `stop` ends it. */
export type PrometheusUnderTest = { readonly url: () => string; readonly stop: () => Promise<void> };

const CPU = 'metrics.kubewright.dev/cpu';

/** Time is real here. */
const TIMEOUTS = {
  analyzer_interval_secs: 1,
  nfr_max_age_secs: 3,
  enforcement_stability_secs: 2,
  enforcement_cooldown_secs: 2,
  recovery_stable_secs: 1,
};

/** Load, recommendation and enforcement, over HTTP to a Prometheus, on a cluster with Deployments and nodes. */
export function enforcementContract(transport: () => Transport, prometheus: PrometheusUnderTest): void {
  describe('replicas of ClassRuntimes', () => {
    const registry = new Registry();
    const env = {
      get OPRC_CRM_PROM_URL() {
        return prometheus.url();
      },
    };
    const classes = useOperator(transport, classesParts, { env, registry });
    const { namespace } = classes;
    const shop = { namespace, name: 'shop' };
    const cart = { namespace, name: 'shop-fn-0' };

    const write = (mode: string, minScale = 1): Promise<ClassRuntime> => {
      const functions = [
        { function_key: 'shop.cart', provision_config: { container_image: 'cart:1', min_scale: minScale } },
        { function_key: 'shop.pay', provision_config: { container_image: 'pay:1' } },
      ];
      const enforcement = { mode, dimensions: ['replicas'] };
      const wanted = {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata: shop,
        spec: { addons: ['odgm'], functions, enforcement, timeouts: TIMEOUTS },
      };
      return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test', force: true });
    };
    const until = async (
      holds: (status: NonNullable<ClassRuntime['status']>) => boolean,
    ): Promise<ClassRuntime> => {
      const found = await waitForObject(classes.admin, CLASS_RUNTIMES, shop, (live) => {
        const { metadata, status } = live ?? {};
        return status !== undefined && status.observed_generation === metadata?.generation && holds(status);
      });
      if (found === undefined) throw new TypeError('the class is gone');
      return found;
    };
    const replicasOf = async (name: string): Promise<number | undefined> =>
      (await classes.admin.get(appsv1.deployments, { namespace, name })).spec?.replicas;
    const decisionOf = ({ nfr_details = [] }: NonNullable<ClassRuntime['status']>): string | undefined =>
      nfr_details.find(({ function_key }) => function_key === 'shop.cart')?.decision;
    /** All load is said of one pod, which stays longest: those that come are idle, so the sum stays. */
    const use = async (cpu: string): Promise<void> => {
      const { items } = await classes.admin.list(corev1.pods, { namespace, labelSelector: 'app=shop-fn-0' });
      const annotations = {
        [CPU]: cpu,
        'controller.kubernetes.io/pod-deletion-cost': '9',
      };
      const alive = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const pod = alive.find(({ metadata }) => metadata.annotations?.[CPU] !== undefined) ?? alive[0];
      if (pod === undefined) throw new TypeError('the function has no pod');
      await classes.admin.patch(corev1.pods, pod.metadata, {
        type: 'merge',
        body: { metadata: { annotations } },
      });
    };

    test('CRT-N14 in mode observe the recommendation rises with the load, and replicas stay', async () => {
      await write('observe');
      await until(
        ({ phase, nfr_recommendations }) => phase === 'available' && nfr_recommendations?.['replicas'] === 1,
      );
      await use('1400m');
      const { status = {} } = await until(
        ({ nfr_recommendations }) => nfr_recommendations?.['replicas'] === 3,
      );
      expect(status.nfr_details).toMatchObject([
        { function_key: 'shop.cart', recommended: 3, current: 1, basis: 'cpu', decision: 'SkipMode' },
        { function_key: 'shop.pay', recommended: 1, current: 1 },
      ]);
      expect(isConditionTrue(status.conditions, 'NfrObserved')).toBe(true);
      expect(isConditionTrue(status.conditions, 'NfrEnforced')).toBe(false);
      expect(await replicasOf('shop-fn-0')).toBe(1);
    });

    test('CRT-N23 CRT-D13 in mode enforce replicas follow, a step per cooldown, and the class stays available', async () => {
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
      const { items } = await classes.admin.list(corev1.events, { namespace });
      const reasons = items
        .filter(({ involvedObject }) => involvedObject.kind === 'ClassRuntime')
        .map((one) => one.reason);
      expect(reasons).toEqual(
        expect.arrayContaining(['NFRSkippedStability', 'NFRDeltaBounded', 'NFRApplied']),
      );
    });

    test('CRT-N21 CRT-D11 CRT-D37 what the template applies leaves them alone', async () => {
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
      expect(text).toContain('crm_nfr_enforcement_latency_seconds_count 2');
      expect(text).toContain('# TYPE crm_nfr_enforcement_fail_total counter');
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

    test('CRT-A07 a Prometheus that does not answer scales nothing down', async () => {
      await use('1400m');
      await write('enforce', 2);
      await until((now) => decisionOf(now) === 'NoChange' && now.nfr_recommendations?.['replicas'] === 3);
      await prometheus.stop();
      const { status = {} } = await until((now) => decisionOf(now) === 'SkipStale');
      expect(status).toMatchObject({ phase: 'available', nfr_recommendations: { replicas: 3 } });
      expect(await replicasOf('shop-fn-0')).toBe(3);
    });
  });
}
