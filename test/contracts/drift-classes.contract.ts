import { servePrometheus, type ServedPrometheus } from '@kubewright/cluster';
import { type Client, isForbidden } from '@kubewright/client';
import { appsv1, corev1, isConditionTrue, type JsonObject, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CLASS_RUNTIMES, type ClassRuntime } from '../../packages/operators/src/classes/api.ts';
import { classesParts } from '../../packages/operators/src/classes/controller.ts';
import { ANNOTATIONS, KAUSALITIES } from '../../packages/operators/src/drift/api.ts';
import { driftParts } from '../../packages/operators/src/drift/controller.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';
import { createPolicy } from '../../packages/operators/src/drift/testing/drift-stage.ts';
import { hopsOf } from '../../packages/operators/src/drift/testing/hops-of.ts';
import { accountUser } from '../../packages/operators/src/kit/install-objects.ts';
import { useOperator } from '../../packages/operators/src/kit/testing/use-operator.ts';

const CPU = 'metrics.kubewright.dev/cpu';
const CLASSES = accountUser('classes').username;
/** Time is real here. */
const TIMEOUTS = {
  analyzer_interval_secs: 1,
  nfr_max_age_secs: 3,
  enforcement_stability_secs: 2,
  enforcement_cooldown_secs: 2,
  recovery_stable_secs: 1,
};

/** The operator `classes` where drift of everything that it writes is denied. */
export function driftClassesContract(transport: () => Transport): void {
  describe('classes where drift is denied', () => {
    let prometheus: ServedPrometheus | undefined;
    beforeAll(async () => {
      prometheus = await servePrometheus(transport());
    });
    afterAll(() => prometheus?.close());
    const anyKind = { apiGroups: [CLASS_RUNTIMES.group], resources: ['classruntimes'] };
    const drift = useOperator(transport, driftParts, { anyKind });
    const env = {
      get OPRC_CRM_PROM_URL() {
        return prometheus?.url ?? '';
      },
      // Replicas become less once pods were watched for so long.
      OPRC_CRM_PROM_RANGE: '4s',
    };
    useOperator(transport, classesParts, { env });
    const { namespace } = drift;
    const shop = { namespace, name: 'shop' };
    const alice = (): Client => drift.as({ username: 'alice', groups: ['system:masters'] });
    const classes = (): Client => drift.as({ username: CLASSES, groups: ['system:masters'] });

    beforeAll(async () => {
      await createPolicy(drift.admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace] },
        resources: [
          { apiGroups: [''], resources: ['services', 'configmaps'] },
          { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'] },
          { apiGroups: [CLASS_RUNTIMES.group], resources: ['classruntimes'] },
        ],
      });
      let tries = 0;
      await vi.waitFor(
        async () => {
          // A server may call a webhook a moment after it is configured.
          const metadata = { namespace, name: `probe-${(tries += 1)}` };
          const probe = await alice().create(corev1.configmaps, {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata,
          });
          expect(annotationsOf(probe)).toHaveProperty([ANNOTATIONS.updaters]);
        },
        { timeout: 30_000 },
      );
    });
    afterAll(() => drift.admin.delete(KAUSALITIES, { name: namespace }));

    const write = (...images: readonly string[]): Promise<ClassRuntime> =>
      alice().apply(
        CLASS_RUNTIMES,
        {
          apiVersion: 'oaas.io/v1alpha1',
          kind: 'ClassRuntime',
          metadata: shop,
          spec: {
            functions: images.map((container_image, index) => ({
              function_key: `f${index}`,
              provision_config: { container_image },
            })),
            enforcement: { mode: 'enforce', dimensions: ['replicas'] },
            timeouts: TIMEOUTS,
          },
        },
        { fieldManager: 'test', force: true },
      );
    const until = async (
      holds: (status: NonNullable<ClassRuntime['status']>) => boolean,
    ): Promise<ClassRuntime | undefined> =>
      waitForObject(drift.admin, CLASS_RUNTIMES, shop, (live) => {
        const { metadata, status } = live ?? {};
        return status !== undefined && status.observed_generation === metadata?.generation && holds(status);
      });
    const available = () => until(({ conditions }) => isConditionTrue(conditions, 'Available'));
    const deployment = (): Promise<appsv1.Deployment> => alice().get(appsv1.deployments, shop);
    /** All load is said of one pod, which stays longest: those that come are idle, so the sum stays. */
    const use = async (cpu: string): Promise<void> => {
      const { items } = await alice().list(corev1.pods, { namespace, labelSelector: 'app=shop' });
      const alive = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const pod = alive.find(({ metadata }) => metadata.annotations?.[CPU] !== undefined) ?? alive[0];
      if (pod === undefined) throw new TypeError('the function has no pod');
      const annotations = { [CPU]: cpu, 'controller.kubernetes.io/pod-deletion-cost': '9' };
      await alice().patch(corev1.pods, pod.metadata, { type: 'merge', body: { metadata: { annotations } } });
    };
    const scaledTo = (replicas: number) =>
      waitForObject(drift.admin, appsv1.deployments, shop, (live) => live?.spec?.replicas === replicas);
    const alarms = async (): Promise<readonly string[]> => {
      const { items } = await alice().list(corev1.events, { namespace });
      return items.flatMap(({ reason, message = '' }) => (reason === 'DriftDetected' ? [message] : []));
    };

    test('DRF-138 a class follows its load up and down, a new image, and a function more and less, without one alarm', async () => {
      await write('cart:1');
      await available();
      await use('1400m');
      const scaled = await scaledTo(3);
      expect(hopsOf(scaled as appsv1.Deployment)).toMatchObject([
        { kind: 'ClassRuntime', user: 'alice' },
        { kind: 'Deployment', user: CLASSES },
      ]);
      await use('300m');
      await scaledTo(1);
      await available();
      await write('cart:2');
      await waitForObject(
        drift.admin,
        appsv1.deployments,
        shop,
        (live) => live?.spec?.template.spec?.containers[0]?.image === 'cart:2',
      );
      await available();
      // A function more, and one less: what it leaves behind goes after the class is available.
      const second = { namespace, name: 'shop-fn-1' };
      await write('cart:2', 'pay:1');
      await waitForObject(drift.admin, appsv1.deployments, second, (live) => live !== undefined);
      await available();
      // With two functions, the first has another name.
      await waitForObject(drift.admin, appsv1.deployments, shop, (live) => live === undefined);
      await write('cart:2');
      await waitForObject(drift.admin, appsv1.deployments, second, (live) => live === undefined);
      await available();
      expect(await alarms()).toEqual([]);
    });

    test('DRF-138 a scale that the status of the class does not name is drift, and so is another image beside one that it names', async () => {
      await available();
      const { metadata, spec } = await deployment();
      expect(metadata.name).toBe('shop');
      const denied = async (body: JsonObject, options?: { readonly dryRun: true }): Promise<void> => {
        const patch = { type: 'merge', body } as const;
        const error: unknown = await classes()
          .patch(appsv1.deployments, shop, patch, options)
          .catch((reason: unknown) => reason);
        expect(error).toSatisfy(isForbidden);
      };
      const scaled = { spec: { replicas: 7 } };
      // The webhook reads from a watch that the class is available, a moment after this test may.
      await vi.waitFor(() => denied(scaled, { dryRun: true }), { timeout: 30_000 });
      await denied(scaled);
      await denied({ spec: { paused: true } });
      expect((await deployment()).spec).toEqual(spec);
    });
  });
}
