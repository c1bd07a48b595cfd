import { ignoreNotFound } from '@kubewright/client';
import { appsv1, corev1, isConditionTrue, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime } from './api.ts';
import { classesParts } from './controller.ts';

/** Time is real here: one restart is enough for a crash loop. */
const SETTINGS = { OPRC_CRM_CRASHLOOP_RESTARTS: '1', OPRC_CRM_RECOVERY_STABLE_SECS: '1' };

/** Containers of these images crash at once; nodes of the cluster under test need to know. */
export const CRASHING: Readonly<Record<string, { readonly exitAfterMs: number; readonly exitCode: number }>> =
  {
    'crashing:*': { exitAfterMs: 0, exitCode: 1 },
  };

/** The use case, on a cluster with Deployments, garbage collection and nodes; the operator acts under its account. */
export function classesContract(transport: () => Transport): void {
  describe('ClassRuntimes', () => {
    const classes = useOperator(transport, classesParts, { env: SETTINGS });
    const { namespace } = classes;
    const shop = { namespace, name: 'shop' };

    const write = (image: string, key = 'shop.cart'): Promise<ClassRuntime> => {
      const functions = [
        { function_key: 'shop.cart', provision_config: { container_image: 'cart:1', port: 8080 } },
        { function_key: 'shop.pay', provision_config: { container_image: image } },
      ];
      const wanted = {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata: shop,
        spec: { package_class_key: key, addons: ['odgm'], functions },
      };
      return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test', force: true });
    };
    const reached = async (phase: string): Promise<ClassRuntime> => {
      const found = await waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        shop,
        (live) =>
          live?.status?.phase === phase && live.status.observed_generation === live.metadata.generation,
      );
      if (found === undefined) throw new TypeError('the class is gone');
      return found;
    };

    test('CRT-S48 CRT-T03 CRT-D35 two functions and the data grid become Deployments and Services, and are available', async () => {
      await write('pay:1');
      const { status } = await reached('available');
      expect(status?.resource_refs?.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
        'Deployment/shop-fn-0',
        'Deployment/shop-fn-1',
        'Deployment/shop-odgm',
        'Service/shop-fn-0',
        'Service/shop-fn-1',
        'Service/shop-odgm-svc',
      ]);
      expect(status?.functions).toMatchObject([
        {
          function_key: 'shop.cart',
          ready: true,
          predicted_url: `http://shop-fn-0.${namespace}.svc.cluster.local/`,
        },
        { function_key: 'shop.pay', ready: true },
      ]);
    });

    test('CRT-T06 CRT-T12 a router that comes is what its workloads connect to; one that goes is no longer', async () => {
      const router = {
        metadata: { name: 'main-router', namespace, labels: { app: 'router', platform: 'oaas' } },
        spec: { selector: { app: 'router' }, ports: [{ name: 'zenoh', port: 17447 }] },
      };
      const cart = { namespace, name: 'shop-fn-0' };
      const peers = ({ spec }: appsv1.Deployment): string | undefined =>
        spec?.template?.spec?.containers[0]?.env?.find(({ name }) => name === 'OPRC_ZENOH_PEERS')?.value;
      const connected = (peer: string | undefined): Promise<unknown> =>
        waitForObject(
          classes.admin,
          appsv1.deployments,
          cart,
          (live) => live !== undefined && peers(live) === peer,
        );
      const routers = async (): Promise<unknown> => (await reached('available')).status?.routers;
      await classes.admin.create(corev1.services, { apiVersion: 'v1', kind: 'Service', ...router });
      await connected('tcp/main-router:17447');
      expect(await routers()).toEqual([{ service: 'main-router', port: 17447 }]);
      await classes.admin.delete(corev1.services, { namespace, name: 'main-router' });
      await connected(undefined);
      expect(await routers()).toBeUndefined();
    });

    test('CRT-S19 one function crashes: degraded, with a reason; the other one stays', async () => {
      await write('crashing:1');
      const { status = {} } = await reached('degraded');
      expect(status).toMatchObject({
        message: expect.stringMatching(/^Pod shop-fn-1-.+ restart count=\d+\.$/),
        lifecycle: { reason: 'CrashLoop' },
        functions: [
          { function_key: 'shop.cart', ready: true },
          { function_key: 'shop.pay', ready: false, reason: 'CrashLoop' },
        ],
      });
      // The old pod answers until the new one would be ready.
      expect(isConditionTrue(status.conditions, 'Serving')).toBe(true);
    });

    test('CRT-S23 it recovers when the image does, and Events tell the story', async () => {
      await write('pay:2');
      await reached('available');
      const { items } = await classes.admin.list(corev1.events, { namespace });
      const reasons = new Set(
        items
          .filter(({ involvedObject }) => involvedObject.kind === 'ClassRuntime')
          .map(({ reason }) => reason),
      );
      expect([...reasons]).toEqual(
        expect.arrayContaining(['Applied', 'Available', 'CrashLoop', 'Progressing']),
      );
    });

    test('CRT-T10 with another key of the class, all is applied: no selector has it', async () => {
      await write('pay:2', 'shop.basket');
      await reached('available');
      const { metadata, spec } = await classes.admin.get(appsv1.deployments, {
        namespace,
        name: 'shop-odgm',
      });
      expect(metadata.labels).toMatchObject({ 'oaas.io/class': 'shop.basket' });
      const env = spec?.template?.spec?.containers[0]?.env;
      expect(env).toContainEqual({ name: 'OPRC_CLS_ID', value: 'shop.basket' });
    });

    test('CRT-S33 CRT-D09 CRT-D27 a Deployment that somebody deletes is made again', async () => {
      const key = { namespace, name: 'shop-fn-0' };
      const { metadata } = await classes.admin.get(appsv1.deployments, key);
      await classes.admin.delete(appsv1.deployments, key);
      await waitForObject(
        classes.admin,
        appsv1.deployments,
        key,
        (live) => live !== undefined && live.metadata.uid !== metadata.uid,
      );
      await reached('available');
    });

    test('CRT-S55 CRT-T19 a class that the server rejects is degraded, and gone when it is deleted', async () => {
      const broken = { namespace, name: 'broken' };
      const functions = [{ function_key: 'broken.f', provision_config: { container_image: '' } }];
      const spec = { addons: [], functions };
      const wanted = { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata: broken, spec };
      await classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test' });
      const found = await waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        broken,
        (live) => live?.status?.phase === 'degraded',
      );
      expect(found?.status).toMatchObject({
        lifecycle: { reason: 'ApplyInvalid' },
        message: expect.stringContaining('image: Required value'),
      });
      await classes.admin.delete(CLASS_RUNTIMES, broken);
      await waitForObject(classes.admin, CLASS_RUNTIMES, broken, (live) => live === undefined);
      expect(await ignoreNotFound(classes.admin.get(appsv1.deployments, broken))).toBeUndefined();
    });

    test('CRT-D42 a class that cannot be rendered and has no objects serves nothing', async () => {
      const blank = { namespace, name: 'blank' };
      const spec = { addons: [], functions: [{ function_key: 'blank.f' }] };
      const wanted = { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata: blank, spec };
      await classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test' });
      const found = await waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        blank,
        (live) => live?.status?.phase === 'degraded',
      );
      expect(found?.status?.lifecycle).toMatchObject({ reason: 'ApplyInvalid' });
      const serving = found?.status?.conditions?.find(({ type }) => type === 'Serving');
      expect(serving).toMatchObject({ status: 'False', reason: 'NoEndpoints' });
      await classes.admin.delete(CLASS_RUNTIMES, blank);
      await waitForObject(classes.admin, CLASS_RUNTIMES, blank, (live) => live === undefined);
    });

    test('CRT-K18 a data grid may be a StatefulSet, and stays one', async () => {
      const grid = { namespace, name: 'grid' };
      const write = (workload: 'Deployment' | 'StatefulSet'): Promise<unknown> => {
        const spec = { addons: ['odgm'], functions: [], odgm: { workload } };
        const wanted = { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata: grid, spec };
        return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test' });
      };
      await write('StatefulSet');
      const isAvailable = (live?: ClassRuntime): boolean => live?.status?.phase === 'available';
      await waitForObject(classes.admin, CLASS_RUNTIMES, grid, isAvailable);
      const odgm = { namespace, name: 'grid-odgm' };
      expect((await classes.admin.get(appsv1.statefulsets, odgm)).status).toMatchObject({ readyReplicas: 1 });
      expect(await ignoreNotFound(classes.admin.get(appsv1.deployments, odgm))).toBeUndefined();
      await expect(write('Deployment')).rejects.toThrow('workload is immutable');
      await classes.admin.delete(CLASS_RUNTIMES, grid);
      await waitForObject(classes.admin, CLASS_RUNTIMES, grid, (live) => live === undefined);
      expect(await ignoreNotFound(classes.admin.get(appsv1.statefulsets, odgm))).toBeUndefined();
    });

    test('one after the other: a function that fails keeps the next one as it is', async () => {
      const steps = { namespace, name: 'steps' };
      const write = (first: string, second: string): Promise<unknown> => {
        const functions = [first, second].map((container_image, index) => ({
          function_key: `f${index}`,
          provision_config: { container_image },
        }));
        const spec = { addons: [], functions, rollout: { strategy: 'sequential' as const } };
        const wanted = { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata: steps, spec };
        return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test' });
      };
      const until = (phase: string): Promise<unknown> =>
        waitForObject(
          classes.admin,
          CLASS_RUNTIMES,
          steps,
          (live) =>
            live?.status?.phase === phase && live.status.observed_generation === live.metadata.generation,
        );
      const second = async (): Promise<string | undefined> => {
        const { spec } = await classes.admin.get(appsv1.deployments, { namespace, name: 'steps-fn-1' });
        return spec?.template?.spec?.containers[0]?.image;
      };
      await write('a:1', 'b:1');
      await until('available');
      await write('crashing:1', 'b:2');
      await until('degraded');
      expect(await second()).toBe('b:1');
      await write('a:2', 'b:2');
      await until('available');
      expect(await second()).toBe('b:2');
      await classes.admin.delete(CLASS_RUNTIMES, steps);
      await waitForObject(classes.admin, CLASS_RUNTIMES, steps, (live) => live === undefined);
    });

    test('CRT-T22 a restart of the operator writes nothing', async () => {
      const { metadata } = await reached('available');
      await classes.restart();
      // It is queued when the operator starts, this one later.
      const probe = { namespace, name: 'probe' };
      const spec = { addons: [], functions: [] };
      const wanted = { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata: probe, spec };
      await classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test' });
      await waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        probe,
        (live) => live?.status?.phase === 'available',
      );
      await classes.admin.delete(CLASS_RUNTIMES, probe);
      const after = await classes.admin.get(CLASS_RUNTIMES, shop);
      expect(after.metadata.resourceVersion).toBe(metadata.resourceVersion);
    });

    test('CRT-S67 a class that is deleted takes all with it', async () => {
      await classes.admin.delete(CLASS_RUNTIMES, shop);
      await waitForObject(classes.admin, CLASS_RUNTIMES, shop, (live) => live === undefined);
      const { items } = await classes.admin.list(appsv1.deployments, { namespace });
      expect(items).toEqual([]);
      const service = classes.admin.get(corev1.services, { namespace, name: 'shop-odgm-svc' });
      expect(await ignoreNotFound(service)).toBeUndefined();
    });
  });
}
