import { randomUUID } from 'node:crypto';
import { type Client, createClient, ignoreNotFound, withImpersonation } from '@kubewright/client';
import { appsv1, corev1, isConditionTrue, type Transport } from '@kubewright/kube';
import { createManager, silentLogger, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountUser, MANAGER } from '../kit/install-objects.ts';
import { installOperators } from '../kit/install-operators.ts';
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
    const namespace = `classes-${randomUUID().slice(0, 8)}`;
    const shop = { namespace, name: 'shop' };
    const stop = new AbortController();
    let admin: Client;
    let ended: Promise<void> | undefined;

    beforeAll(async () => {
      admin = createClient(transport());
      await installOperators(admin, [classesParts]);
      await admin.create(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
        spec: {},
      });
      const as = (account: string): Client => {
        const { username: user, groups } = accountUser(account);
        return createClient(withImpersonation(transport(), { user, groups }));
      };
      const manager = createManager({ client: as(MANAGER), log: silentLogger });
      for (const part of classesParts.parts) part.add(manager.as(as(part.account)), SETTINGS);
      ended = manager.start(stop.signal);
      await manager.cache.waitForSync(AbortSignal.timeout(30_000));
    });
    afterAll(async () => {
      stop.abort();
      await ended;
      await admin.delete(corev1.namespaces, { name: namespace });
    });

    const write = (image: string): Promise<ClassRuntime> => {
      const functions = [
        { function_key: 'shop.cart', provision_config: { container_image: 'cart:1', port: 8080 } },
        { function_key: 'shop.pay', provision_config: { container_image: image } },
      ];
      const wanted = {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata: shop,
        spec: { package_class_key: 'shop.cart', addons: ['odgm'], functions },
      };
      return admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test', force: true });
    };
    const reached = async (phase: string): Promise<ClassRuntime> => {
      const found = await waitForObject(
        admin,
        CLASS_RUNTIMES,
        shop,
        (live) =>
          live?.status?.phase === phase && live.status.observed_generation === live.metadata.generation,
      );
      if (found === undefined) throw new TypeError('the class is gone');
      return found;
    };

    test('two functions and the data grid become Deployments and Services, and are available', async () => {
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

    test('one function crashes: degraded, with a reason; the other one stays', async () => {
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

    test('it recovers when the image does, and Events tell the story', async () => {
      await write('pay:2');
      await reached('available');
      const { items } = await admin.list(corev1.events, { namespace });
      const reasons = new Set(
        items
          .filter(({ involvedObject }) => involvedObject.kind === 'ClassRuntime')
          .map(({ reason }) => reason),
      );
      expect([...reasons]).toEqual(
        expect.arrayContaining(['Applied', 'Available', 'CrashLoop', 'Progressing']),
      );
    });

    test('a Deployment that somebody deletes is made again', async () => {
      const key = { namespace, name: 'shop-fn-0' };
      const { metadata } = await admin.get(appsv1.deployments, key);
      await admin.delete(appsv1.deployments, key);
      await waitForObject(
        admin,
        appsv1.deployments,
        key,
        (live) => live !== undefined && live.metadata.uid !== metadata.uid,
      );
      await reached('available');
    });

    test('a class that is deleted takes all with it', async () => {
      await admin.delete(CLASS_RUNTIMES, shop);
      await waitForObject(admin, CLASS_RUNTIMES, shop, (live) => live === undefined);
      const { items } = await admin.list(appsv1.deployments, { namespace });
      expect(items).toEqual([]);
      const service = admin.get(corev1.services, { namespace, name: 'shop-odgm-svc' });
      expect(await ignoreNotFound(service)).toBeUndefined();
    });
  });
}
