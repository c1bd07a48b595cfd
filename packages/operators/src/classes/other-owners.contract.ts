import {
  appsv1,
  coordinationv1,
  corev1,
  isConditionTrue,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime } from './api.ts';
import { classesParts } from './controller.ts';

/** Time is real here. */
const SETTINGS = {
  OPRC_CRM_CRASHLOOP_RESTARTS: '1',
  OPRC_CRM_RECOVERY_STABLE_SECS: '1',
  OPRC_CRM_REPLICA_FAILURE_GRACE_SECS: '1',
};

type Status = NonNullable<ClassRuntime['status']>;
type Options = { readonly addons?: readonly string[]; readonly min_scale?: number };

/** Objects, fields and limits of others, on a cluster with Deployments, garbage collection and nodes. */
export function otherOwnersContract(transport: () => Transport): void {
  describe('ClassRuntimes beside what others own', () => {
    const classes = useOperator(transport, classesParts, { env: SETTINGS });
    const { namespace } = classes;

    const write = (
      name: string,
      images: readonly string[],
      { addons = [], ...scale }: Options = {},
    ): Promise<ClassRuntime> => {
      const functions = images.map((container_image, index) => ({
        function_key: `f${index}`,
        provision_config: { container_image, ...scale },
      }));
      const wanted = {
        apiVersion: 'oaas.io/v1alpha1',
        kind: 'ClassRuntime',
        metadata: { namespace, name },
        spec: { addons, functions },
      };
      return classes.admin.apply(CLASS_RUNTIMES, wanted, { fieldManager: 'test', force: true });
    };
    const until = async (name: string, holds: (status: Status) => boolean): Promise<Status> => {
      const found = await waitForObject(classes.admin, CLASS_RUNTIMES, { namespace, name }, (live) => {
        const { metadata, status } = live ?? {};
        return status !== undefined && status.observed_generation === metadata?.generation && holds(status);
      });
      return found?.status ?? expect.fail('the class is gone');
    };
    const isIn =
      (phase: string) =>
      (status: Status): boolean =>
        status.phase === phase;
    const deployment = (name: string): Promise<Stored<appsv1.Deployment>> =>
      classes.admin.get(appsv1.deployments, { namespace, name });
    const imageOf = ({ spec }: Stored<appsv1.Deployment>): string | undefined =>
      spec?.template?.spec?.containers[0]?.image;
    const names = async (labelSelector: string): Promise<readonly string[]> => {
      const all = [
        ...(await classes.admin.list(appsv1.deployments, { namespace, labelSelector })).items,
        ...(await classes.admin.list(corev1.services, { namespace, labelSelector })).items,
      ];
      return all.map(({ kind, metadata }) => `${kind}/${metadata.name}`).toSorted();
    };
    /** A Deployment of somebody else, without pods. */
    const createTheirs = (name: string, more: Partial<corev1.Pod['metadata']> = {}) => {
      const labels = { app: name };
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: 'theirs', image: 'theirs:1' }] },
      };
      return classes.admin.create(appsv1.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace, ...more },
        spec: { replicas: 0, selector: { matchLabels: labels }, template },
      });
    };

    test('CRT-S72 a class that is meant to be at zero is available without a pod', async () => {
      await write('zero', ['a:1'], { min_scale: 0 });
      const { conditions } = await until('zero', isIn('available'));
      expect(isConditionTrue(conditions, 'Serving')).toBe(true);
      const { spec, status } = await deployment('zero');
      expect([spec?.replicas, status?.availableReplicas ?? 0]).toEqual([0, 0]);
    });

    test('CRT-S63 a Deployment of its name that somebody else has made stays as it is', async () => {
      const before = await createTheirs('taken');
      await write('taken', ['a:1']);
      const { lifecycle, message } = await until('taken', isIn('degraded'));
      expect(lifecycle?.reason).toBe('NotOwned');
      expect(message).toContain('taken');
      const { metadata, spec } = await deployment('taken');
      expect(spec).toEqual(before.spec);
      const { generation, uid, labels, ownerReferences } = before.metadata;
      expect(metadata).toMatchObject({ generation, uid });
      expect([metadata.labels, metadata.ownerReferences]).toEqual([labels, ownerReferences]);
    });

    test('CRT-S40 CRT-S46 what it no longer wants stays until its successors are ready; what is not its own, for ever', async () => {
      await write('shop', ['a:1', 'b:1']);
      await until('shop', isIn('available'));
      const boss = { metadata: { name: 'boss', namespace } };
      const { metadata } = await classes.admin.create(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        ...boss,
      });
      const owner = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'boss',
        uid: metadata.uid,
        controller: true,
      };
      await createTheirs('theirs', { labels: { 'oaas.io/owner': 'shop' }, ownerReferences: [owner] });
      await write('shop', ['crashing:1']);
      const { lifecycle } = await until('shop', isIn('degraded'));
      expect(lifecycle?.reason).toBe('CrashLoop');
      const kept = ['Deployment/shop', 'Deployment/theirs', 'Service/shop'];
      const old = ['Deployment/shop-fn-0', 'Deployment/shop-fn-1', 'Service/shop-fn-0', 'Service/shop-fn-1'];
      expect(await names('oaas.io/owner=shop')).toEqual([...kept, ...old].toSorted());
      await write('shop', ['a:2']);
      await until('shop', isIn('available'));
      await expect.poll(() => names('oaas.io/owner=shop')).toEqual(kept);
    });

    test('CRT-S56 a field that another manager has taken is a conflict, and stays theirs', async () => {
      const containers = [{ name: 'function', image: 'argo:1' }];
      const wanted = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace, name: 'shop' },
        spec: { template: { spec: { containers } } },
      } as const;
      await classes.admin.apply(appsv1.deployments, wanted, { fieldManager: 'argocd', force: true });
      await write('shop', ['a:3']);
      const { lifecycle, message } = await until('shop', isIn('degraded'));
      expect(lifecycle?.reason).toBe('Conflict');
      expect(message).toContain('Field manager ownership conflict applying Deployment/shop.');
      expect(message).toContain('conflict with "argocd"');
      expect(message).toContain('.spec.template.spec.containers[name="function"].image');
      expect(imageOf(await deployment('shop'))).toBe('argo:1');
    });

    test('CRT-T18 CRT-D33 a pod that takes its time keeps the class, and the data grid that it may use', async () => {
      await write('held', ['a:1'], { addons: ['odgm'] });
      await until('held', isIn('available'));
      const { items } = await classes.admin.list(corev1.pods, { namespace, labelSelector: 'app=held' });
      const [pod] = items;
      if (pod === undefined) throw new TypeError('the function has no pod');
      const hold = (finalizers: readonly string[]): Promise<unknown> =>
        classes.admin.patch(corev1.pods, pod.metadata, { type: 'merge', body: { metadata: { finalizers } } });
      await hold(['test.kubewright.dev/hold']);
      const held = { namespace, name: 'held' };
      await classes.admin.delete(CLASS_RUNTIMES, held);
      const live = await waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        held,
        (one) =>
          one?.status?.phase === 'deleting' && one.status.message?.includes(pod.metadata.name) === true,
      );
      expect(live?.metadata.finalizers).toContain('oaas.io/finalizer');
      await waitForObject(
        classes.admin,
        corev1.pods,
        { namespace, name: pod.metadata.name },
        (one) => one?.metadata.deletionTimestamp !== undefined,
      );
      const grid = await deployment('held-odgm');
      expect(grid.metadata.deletionTimestamp).toBeUndefined();
      await hold([]);
      await waitForObject(classes.admin, CLASS_RUNTIMES, held, (one) => one === undefined);
      await expect.poll(() => names('oaas.io/owner=held')).toEqual([]);
    });

    /** Returns when admission rejects by the quota: it may hear of it later. */
    const limit = async (name: string, resource: string): Promise<void> => {
      const hard = { [resource]: '0', 'count/leases.coordination.k8s.io': '0' };
      const created = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name, namespace },
        spec: { hard },
      } as const;
      await classes.admin.create(corev1.resourcequotas, created);
      const status = { hard, used: hard };
      await classes.admin.patch(
        corev1.resourcequotas,
        { namespace, name },
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      );
      let count = 0;
      const lease = (): Promise<string> =>
        classes.admin
          .create(coordinationv1.leases, {
            apiVersion: 'coordination.k8s.io/v1',
            kind: 'Lease',
            metadata: { namespace, name: `${name}-${count++}` },
            spec: {},
          })
          .then(
            () => 'created',
            () => 'rejected',
          );
      await expect.poll(lease).toBe('rejected');
    };

    test('CRT-S29 pods that a quota does not allow are the reason, with its text', async () => {
      await limit('pods', 'pods');
      await write('full', ['a:1']);
      const { lifecycle, message } = await until('full', isIn('degraded'));
      expect(lifecycle?.reason).toBe('ReplicaFailure');
      expect(message).toContain('exceeded quota: pods, requested: pods=1, used: pods=0, limited: pods=0');
    });

    test('CRT-S62 an apply that is forbidden is the reason, and nothing is left to delete', async () => {
      await limit('deployments', 'count/deployments.apps');
      await write('banned', ['a:1']);
      const { lifecycle, message } = await until('banned', isIn('degraded'));
      expect(lifecycle?.reason).toBe('ApplyForbidden');
      expect(message).toContain('exceeded quota: deployments');
      const banned = { namespace, name: 'banned' };
      await classes.admin.delete(CLASS_RUNTIMES, banned);
      await waitForObject(classes.admin, CLASS_RUNTIMES, banned, (live) => live === undefined);
    });
  });
}
