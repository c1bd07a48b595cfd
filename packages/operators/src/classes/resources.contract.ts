import { appsv1, corev1, type Stored, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime, RESOURCE_ENFORCERS } from './api.ts';
import { sizeManagers } from './size-of.ts';
import { classesParts } from './controller.ts';

/** Time is real here. */
const TIMEOUTS = { analyzer_interval_secs: 1, enforcement_stability_secs: 1, enforcement_cooldown_secs: 1 };

type Options = { readonly mode: string; readonly image: string };

/** Memory of functions that follows what their pods use, by the annotations of pods, on a cluster with Deployments and nodes. */
export function resourcesContract(transport: () => Transport, prometheusUrl: () => string): void {
  describe('memory of functions', () => {
    const env = {
      get OPRC_CRM_PROM_URL() {
        return prometheusUrl();
      },
    };
    const classes = useOperator(transport, classesParts, { env });
    const { namespace } = classes;
    const web = { namespace, name: 'web' };

    const write = ({ mode, image }: Options): Promise<ClassRuntime> => {
      const provision_config = { container_image: image, memory_request: '256Mi' };
      const wanted = {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata: web,
        spec: {
          addons: [],
          functions: [{ function_key: 'web.get', provision_config }],
          enforcement: { mode, dimensions: ['memory'] },
          timeouts: TIMEOUTS,
        },
      };
      return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test', force: true });
    };
    const available = (): Promise<unknown> =>
      waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        web,
        (live) =>
          live?.status?.phase === 'available' && live.status.observed_generation === live.metadata.generation,
      );
    const containerOf = (live: Stored<appsv1.Deployment> | undefined) =>
      live?.spec?.template.spec?.containers[0];
    const deployment = async (
      holds: (container: NonNullable<ReturnType<typeof containerOf>>) => boolean,
    ): Promise<Stored<appsv1.Deployment>> => {
      const found = await waitForObject(classes.admin, appsv1.deployments, web, (live) => {
        const container = containerOf(live);
        return container !== undefined && holds(container);
      });
      if (found === undefined) throw new TypeError('the Deployment is gone');
      return found;
    };

    test('CRT-A12 CRT-D32 it follows, a quarter at once, under a manager of its own, and the phase stays', async () => {
      await write({ mode: 'enforce', image: 'web:1' });
      await available();
      const { items } = await classes.admin.list(corev1.pods, { namespace, labelSelector: 'app=web' });
      const annotations = { 'metrics.kubewright.dev/memory': '400Mi' };
      for (const { metadata } of items)
        await classes.admin.patch(corev1.pods, metadata, {
          type: 'merge',
          body: { metadata: { annotations } },
        });
      const live = await deployment(({ resources }) => resources?.requests?.['memory'] === '320Mi');
      expect(containerOf(live)?.resources).toEqual({
        requests: { memory: '320Mi' },
        limits: { memory: '480Mi' },
      });
      const ours = RESOURCE_ENFORCERS.memory;
      expect(new Set(sizeManagers(live, 'memory'))).toEqual(new Set([ours]));
      const found = await waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        web,
        (live) => live?.status?.last_applied_recommendations?.at(-1)?.dimension === 'memory',
      );
      expect(found?.status?.phase).toBe('available');
    });

    test('CRT-A12 another image of the class leaves it as it is', async () => {
      await write({ mode: 'enforce', image: 'web:2' });
      const live = await deployment(({ image }) => image === 'web:2');
      expect(containerOf(live)?.resources?.requests).not.toEqual({ memory: '256Mi' });
      await available();
    });

    test('CRT-A14 in mode observe it is what the class asks for, and no limit of ours is left', async () => {
      await write({ mode: 'observe', image: 'web:2' });
      const live = await deployment(
        ({ resources }) => resources?.requests?.['memory'] === '256Mi' && resources.limits === undefined,
      );
      expect(sizeManagers(live, 'memory')).toEqual(['oprc-crm']);
      await available();
    });
  });
}
