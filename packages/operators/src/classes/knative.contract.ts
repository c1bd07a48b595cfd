import { createClient, ignoreNotFound } from '@kubewright/client';
import { appsv1, corev1, isConditionTrue, type KubeObject, type Transport } from '@kubewright/kube';
import { createManager, installDefinitions, silentLogger, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime, ENFORCER } from './api.ts';
import { classesParts } from './controller.ts';
import { KNATIVE_API, KNATIVE_SERVICES, MAX_SCALE, MIN_SCALE } from './knative-api.ts';
import { managersOf } from './managers-of.ts';
import { classOf, renderingOf } from './testing/class-bench.ts';
import { KNATIVE_DEFINITION } from './testing/knative-definition.ts';
import { addSimulatedKnative } from './testing/simulated-knative.ts';

/** Time is real here. */
const TIMEOUTS = {
  analyzer_interval_secs: 1,
  enforcement_stability_secs: 1,
  enforcement_cooldown_secs: 1,
  recovery_stable_secs: 1,
};
const MIN_SCALE_PATH = ['template', 'metadata', 'annotations', MIN_SCALE];

type Options = {
  readonly template?: string;
  readonly image?: string;
  readonly mode?: string;
};

/** Functions as Services of Knative, with a simulated Knative, on a cluster with Deployments and nodes. */
export function knativeContract(transport: () => Transport, prometheusUrl: () => string): void {
  describe('functions as Services of Knative', () => {
    useKnative(transport);
    const env = {
      get OPRC_CRM_PROM_URL() {
        return prometheusUrl();
      },
      OPRC_CRM_ENFORCEMENT_MAX_REPLICA_DELTA: '0',
    };
    const classes = useOperator(transport, classesParts, { env });
    const { namespace } = classes;
    const web = { namespace, name: 'web' };

    const write = ({
      template = 'knative',
      image = 'web:1',
      mode = 'observe',
    }: Options = {}): Promise<ClassRuntime> => {
      const provision_config = { container_image: image, min_scale: 1, max_scale: 9 };
      const wanted = {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata: web,
        spec: {
          addons: [],
          selected_template: template,
          functions: [{ function_key: 'web.get', provision_config }],
          enforcement: { mode, dimensions: ['replicas'] },
          timeouts: TIMEOUTS,
        },
      };
      return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test', force: true });
    };
    type WebStatus = NonNullable<ClassRuntime['status']>;
    const until = async (holds: (status: WebStatus) => boolean): Promise<WebStatus> => {
      const found = await waitForObject(classes.admin, CLASS_RUNTIMES, web, (live) => {
        const { metadata, status } = live ?? {};
        return status !== undefined && status.observed_generation === metadata?.generation && holds(status);
      });
      if (found?.status === undefined) throw new TypeError('the class is gone');
      return found.status;
    };
    const isAvailable = ({ phase }: WebStatus): boolean => phase === 'available';
    const service = () => classes.admin.get(KNATIVE_SERVICES, web);
    const isGone = async (object: Promise<KubeObject>): Promise<boolean> =>
      (await ignoreNotFound(object)) === undefined;

    test('CRT-K12 a class is available once its Revision is ready, at the address of Knative', async () => {
      await write();
      const status = await until(isAvailable);
      expect(status).toMatchObject({
        template: { selected: 'knative', reason: 'Named' },
        functions: [
          { ready: true, template: 'knative', observed_url: `http://web.${namespace}.svc.cluster.local` },
        ],
        resource_refs: [{ kind: 'Service.serving.knative.dev', name: 'web' }],
      });
      expect((await service()).status).toMatchObject({ latestReadyRevisionName: 'web-00001' });
    });

    test("all that the template says is in Knative's own schema", async () => {
      const provision_config = {
        container_image: 'all:1',
        port: 9090,
        need_http2: true,
        max_concurrency: 10,
        min_scale: 0,
        max_scale: 5,
        cpu_request: '100m',
        memory_limit: '1Gi',
      };
      const functions = [{ function_key: 'all.get', config: { MODE: 'a' }, provision_config }];
      const runtime = classOf({ template: 'knative' });
      const rendering = renderingOf({
        ...runtime,
        metadata: { ...runtime.metadata, namespace },
        spec: { ...runtime.spec, functions, telemetry: { enabled: true } },
      });
      const objects = rendering.objects.filter((object) => object.apiVersion === KNATIVE_API);
      expect(objects).toHaveLength(1);
      for (const object of objects) {
        const options = { fieldManager: 'test', dryRun: true, fieldValidation: 'Strict' } as const;
        const { spec } = await classes.admin.apply(KNATIVE_SERVICES, object, options);
        // Nothing is pruned.
        expect(spec).toMatchObject(object.spec ?? {});
      }
    });

    test('CRT-S50 a Revision that fails degrades it, while the one before serves', async () => {
      await write({ image: 'failing:1' });
      const { conditions, message, lifecycle } = await until(({ phase }) => phase === 'degraded');
      expect(lifecycle?.reason).toBe('RevisionFailed');
      expect(message).toContain('the container ends with 1');
      expect(isConditionTrue(conditions, 'Serving')).toBe(true);
      await write({ image: 'web:2' });
      await until(isAvailable);
    });

    test('CRT-N26 CRT-D14 its minimum follows the recommendation, under a manager of its own', async () => {
      await write({ image: 'web:2', mode: 'enforce' });
      await until(isAvailable);
      const { items } = await classes.admin.list(corev1.pods, { namespace, labelSelector: 'app=web' });
      const alive = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const annotations = { 'metrics.kubewright.dev/cpu': '1400m' };
      for (const { metadata } of alive)
        await classes.admin.patch(corev1.pods, metadata, {
          type: 'merge',
          body: { metadata: { annotations } },
        });
      const before = await service();
      const status = await until(({ last_applied_recommendations: all }) => all?.at(-1)?.target === 3);
      expect(status.phase).toBe('available');
      const after = await service();
      const { template } = after.spec;
      expect(template.metadata?.annotations).toMatchObject({ [MIN_SCALE]: '3', [MAX_SCALE]: '9' });
      expect(template.spec).toEqual(before.spec.template.spec);
      expect(managersOf(after, ...MIN_SCALE_PATH)).toEqual([ENFORCER]);
      await waitForObject(
        classes.admin,
        KNATIVE_SERVICES,
        web,
        (live) => live?.status?.latestReadyRevisionName === `web-0000${after.metadata.generation}`,
      );
    });

    test('CRT-N22 in mode observe again it has the minimum of the class', async () => {
      await write({ image: 'web:2' });
      await until(isAvailable);
      const live = await service();
      expect(live.spec.template.metadata?.annotations).toMatchObject({ [MIN_SCALE]: '1' });
      expect(managersOf(live, ...MIN_SCALE_PATH)).toEqual(['oprc-crm']);
    });

    test('from Knative to Deployments: its Service, and what Knative made of it, go', async () => {
      await write({ template: 'k8s_deployment' });
      await waitForObject(
        classes.admin,
        corev1.services,
        web,
        (live) => live !== undefined && live.spec?.type !== 'ExternalName',
      );
      await until(isAvailable);
      expect(await isGone(service())).toBe(true);
      const { items } = await classes.admin.list(appsv1.deployments, { namespace });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['web']);
    });

    test('CRT-S51 from Deployments to Knative: the Service gives way, then the Deployment goes', async () => {
      await write();
      await waitForObject(classes.admin, appsv1.deployments, web, (live) => live === undefined);
      await until(isAvailable);
      const { spec } = await classes.admin.get(corev1.services, web);
      expect(spec?.type).toBe('ExternalName');
    });

    test('CRT-T18 a class that is deleted takes its Services of Knative with it', async () => {
      await classes.admin.delete(CLASS_RUNTIMES, web);
      await waitForObject(classes.admin, CLASS_RUNTIMES, web, (live) => live === undefined);
      expect(await isGone(service())).toBe(true);
    });
  });
}

/** Runs a simulated Knative, and installs its definition, for the tests of the current suite. */
function useKnative(transport: () => Transport): void {
  const stop = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  beforeAll(async () => {
    const client = createClient(transport());
    await installDefinitions(client, [KNATIVE_DEFINITION], { fieldManager: 'test' });
    const manager = createManager({ client, log: silentLogger });
    addSimulatedKnative(manager);
    ended = manager.start(stop.signal);
    await manager.cache.waitForSync();
  });
  afterAll(async () => {
    stop.abort();
    await ended;
  });
}
