import { appsv1, autoscalingv2, corev1, formatTime, isConditionTrue, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime } from './api.ts';
import { classesParts } from './controller.ts';
import { managersOf } from './managers-of.ts';

/** Time is real here. */
const TIMEOUTS = { analyzer_interval_secs: 1, enforcement_stability_secs: 1, enforcement_cooldown_secs: 1 };

/** People's HorizontalPodAutoscalers of functions whose replicas are enforced, by the load that pods are annotated with. */
export function autoscalersContract(transport: () => Transport, prometheusUrl: () => string): void {
  describe('autoscalers of ClassRuntimes', () => {
    const env = {
      get OPRC_CRM_PROM_URL() {
        return prometheusUrl();
      },
      OPRC_CRM_ENFORCEMENT_MAX_REPLICA_DELTA: '0',
      // Replicas become less once pods were watched for so long.
      OPRC_CRM_PROM_RANGE: '4s',
    };
    const classes = useOperator(transport, classesParts, { env });
    const { namespace } = classes;
    const web = { namespace, name: 'web' };
    const scaler = { namespace, name: 'web-scaler' };
    type WebStatus = NonNullable<ClassRuntime['status']>;

    const write = (mode: string): Promise<ClassRuntime> => {
      const wanted = {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata: web,
        spec: {
          addons: [],
          functions: [{ function_key: 'web.get', provision_config: { container_image: 'web:1' } }],
          enforcement: { mode, dimensions: ['replicas'] },
          timeouts: TIMEOUTS,
        },
      };
      return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test', force: true });
    };
    const until = async (holds: (status: WebStatus) => boolean): Promise<WebStatus> => {
      const found = await waitForObject(classes.admin, CLASS_RUNTIMES, web, (live) => {
        const { metadata, status } = live ?? {};
        return status !== undefined && status.observed_generation === metadata?.generation && holds(status);
      });
      if (found?.status === undefined) throw new TypeError('the class is gone');
      return found.status;
    };
    const detailOf = ({ nfr_details = [] }: WebStatus) => nfr_details[0];
    const minimum = async (): Promise<number | undefined> =>
      (await classes.admin.get(autoscalingv2.horizontalpodautoscalers, scaler)).spec.minReplicas;
    const minimumBecomes = (wanted: number): Promise<unknown> =>
      waitForObject(
        classes.admin,
        autoscalingv2.horizontalpodautoscalers,
        scaler,
        (live) => live?.spec.minReplicas === wanted,
      );
    const use = async (cpu: string): Promise<void> => {
      const { items } = await classes.admin.list(corev1.pods, { namespace, labelSelector: 'app=web' });
      const [pod] = items;
      if (pod === undefined) throw new TypeError('the function has no pod');
      const annotations = { 'metrics.kubewright.dev/cpu': cpu };
      await classes.admin.patch(corev1.pods, pod.metadata, {
        type: 'merge',
        body: { metadata: { annotations } },
      });
    };

    test('CRT-N18 its minimum follows the recommendation, and the Deployment is left to it', async () => {
      await classes.admin.create(autoscalingv2.horizontalpodautoscalers, {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: scaler,
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          minReplicas: 1,
          maxReplicas: 4,
        },
      });
      await write('enforce');
      await until(
        ({ phase, nfr_recommendations }) => phase === 'available' && nfr_recommendations !== undefined,
      );
      await use('1400m');
      await minimumBecomes(3);
      const status = await until(({ last_applied_recommendations: all }) => all?.at(-1)?.target === 3);
      expect(detailOf(status)).toMatchObject({ autoscaler: 'web-scaler', current: 3, recommended: 3 });
      expect(status.phase).toBe('available');
      const { spec } = await classes.admin.get(appsv1.deployments, web);
      expect(spec?.replicas).toBe(1);
    });

    test('CRT-N19 up to its maximum', async () => {
      await use('9000m');
      await minimumBecomes(4);
      const status = await until((now) => detailOf(now)?.decision === 'NoChange');
      expect(detailOf(status)).toMatchObject({ recommended: 18, enforcement: { target: 4, clamped: 'max' } });
    });

    test('CRT-K17 one that cannot scale is reported, and gates nothing', async () => {
      const conditions = [{ type: 'ScalingActive', status: 'False', reason: 'FailedGetResourceMetric' }];
      await classes.admin.patch(
        autoscalingv2.horizontalpodautoscalers,
        scaler,
        { type: 'merge', body: { status: { desiredReplicas: 1, currentReplicas: 1, conditions } } },
        { subresource: 'status' },
      );
      const reasonOf = ({ conditions: all = [] }: WebStatus): string | undefined =>
        all.find(({ type }) => type === 'AutoscalingHealthy')?.reason;
      const status = await until((now) => reasonOf(now) === 'FailedGetResourceMetric');
      expect(status.phase).toBe('available');
    });

    test('CRT-N27 a condition that somebody else writes meanwhile is kept', async () => {
      const foreign = {
        type: 'Foreign',
        status: 'True',
        reason: 'Said',
        message: '',
        lastTransitionTime: formatTime(new Date(0)),
      };
      const say = classes.admin.apply(
        CLASS_RUNTIMES,
        {
          apiVersion: 'oaas.io/v1alpha1',
          kind: 'ClassRuntime',
          metadata: web,
          status: { conditions: [foreign] },
        } as never,
        { fieldManager: 'somebody', subresource: 'status' },
      );
      await Promise.all([use('900m'), say]);
      await minimumBecomes(2);
      const status = await until(({ last_applied_recommendations: all }) => all?.at(-1)?.target === 2);
      expect(isConditionTrue(status.conditions, 'Foreign')).toBe(true);
      expect(isConditionTrue(status.conditions, 'Available')).toBe(true);
    });

    test('CRT-N22 in mode observe again it has its own minimum again, and no note of ours', async () => {
      await write('observe');
      await minimumBecomes(1);
      await until(({ phase }) => phase === 'available');
      const { metadata } = await classes.admin.get(autoscalingv2.horizontalpodautoscalers, scaler);
      expect(metadata.annotations ?? {}).toEqual({});
    });

    test('CRT-N20 a minimum above the recommendation stays', async () => {
      await classes.admin.patch(
        autoscalingv2.horizontalpodautoscalers,
        scaler,
        { type: 'merge', body: { spec: { minReplicas: 4 } } },
        { fieldManager: 'somebody' },
      );
      await write('enforce');
      const status = await until((now) => detailOf(now)?.decision === 'NoChange');
      expect(detailOf(status)).toMatchObject({ recommended: 2, enforcement: { target: 4, clamped: 'min' } });
      expect(await minimum()).toBe(4);
    });

    /** As KEDA has its operator do: the autoscaler belongs to an object of its own, and its minimum is what that says. */
    const keep = async (minReplicas: number): Promise<void> => {
      const of = { namespace, name: 'web-scaled' };
      const maker = { apiVersion: 'v1', kind: 'ConfigMap', metadata: of } as const;
      const { metadata } = await classes.admin.apply(corev1.configmaps, maker, { fieldManager: 'keda' });
      const { name, uid } = metadata;
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
      const body = { metadata: { ownerReferences: [owner] }, spec: { minReplicas } };
      const options = { fieldManager: 'keda' };
      await classes.admin.patch(
        autoscalingv2.horizontalpodautoscalers,
        scaler,
        { type: 'merge', body },
        options,
      );
    };

    test('CRT-N31 one that another controller made keeps its minimum, and the status says who has the replicas', async () => {
      expect(detailOf(await until(() => true))).toMatchObject({
        scaled_by: 'HorizontalPodAutoscaler/web-scaler',
      });
      await keep(2);
      await use('1900m');
      const status = await until((now) => {
        const { decision, recommended } = detailOf(now) ?? {};
        return decision === 'SkipOwned' && recommended === 4;
      });
      expect(detailOf(status)).toMatchObject({ scaled_by: 'ConfigMap/web-scaled', autoscaler: 'web-scaler' });
      expect(status.phase).toBe('available');
      const enforced = status.conditions?.find(({ type }) => type === 'NfrEnforced');
      expect(enforced).toMatchObject({ status: 'False', reason: 'SkipOwned' });
      expect(enforced?.message).toContain('ConfigMap/web-scaled');
      const { metadata, spec } = await classes.admin.get(autoscalingv2.horizontalpodautoscalers, scaler);
      expect(spec.minReplicas).toBe(2);
      expect((metadata.managedFields ?? []).map(({ manager }) => manager)).not.toContain('oprc-crm-enforcer');
    });

    test('CRT-N32 once it is deleted, the class has the replicas again that it had set', async () => {
      const scaled = { type: 'merge', body: { spec: { replicas: 2 } } } as const;
      const options = { fieldManager: 'kube-controller-manager', subresource: 'scale' };
      await classes.admin.patch(appsv1.deployments, web, scaled, options);
      await classes.admin.delete(autoscalingv2.horizontalpodautoscalers, scaler);
      await waitForObject(classes.admin, appsv1.deployments, web, (live) => live?.spec?.replicas === 4);
      const { metadata } = await classes.admin.get(appsv1.deployments, web);
      expect(managersOf({ metadata }, 'replicas')).toEqual(['oprc-crm-enforcer']);
      const status = await until((now) => detailOf(now)?.current === 4);
      expect(detailOf(status)?.scaled_by).toBeUndefined();
    });
  });
}
