import { randomUUID } from 'node:crypto';
import type { Client } from '@kubewright/client';
import { appsv1, batchv1, controllerOf, corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { Registry, waitForObject } from '@kubewright/runtime';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS } from './api.ts';
import { driftParts } from './controller.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { hopsOf } from './testing/hops-of.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const ALICE = { username: 'alice', groups: ['system:masters'] };
const PATIENCE = { timeoutMs: 120_000 };
const POLL = { timeout: 120_000 };
const REPLICASETS = 'system:serviceaccount:kube-system:replicaset-controller';
/** Of each Deployment that rolls out. */
const REPLICAS = 10;
const containers = [{ name: 'main', image: 'web:1' }];

/** With drift denied for all of apps, batch and core: what controllers do in everyday work is never denied. */
export function workloadsContract(transport: () => Transport): void {
  describe('drift and workloads', () => {
    const registry = new Registry();
    const operator = useOperator(transport, driftParts, {
      registry,
      anyKind: { apiGroups: ['apps', 'batch'], resources: ['daemonsets', 'jobs', 'cronjobs'] },
    });
    const namespace = `workloads-${randomUUID().slice(0, 8)}`;
    let alice: Client;

    const count = async (reason: string): Promise<number> => {
      const text = await registry.metrics();
      const line = new RegExp(
        `^kubewright_decisions_total\\{controller="drift",reason="${reason}"\\} (\\d+)`,
        'm',
      );
      return Number(line.exec(text)?.[1] ?? 0);
    };
    const deploy = async (name: string, replicas: number): Promise<void> => {
      const labels = { app: name };
      await alice.create(appsv1.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace, name },
        spec: {
          replicas,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 1 } },
        },
      });
      await available(name, replicas);
    };
    const available = (name: string, replicas: number): Promise<unknown> =>
      waitForObject(
        alice,
        appsv1.deployments,
        { namespace, name },
        (live) =>
          live?.status?.availableReplicas === replicas &&
          live.status.observedGeneration === live.metadata.generation,
        PATIENCE,
      );
    const pods = async (app: string): Promise<readonly corev1.Pod[]> => {
      const { items } = await alice.list(corev1.pods, { namespace, labelSelector: `app=${app}` });
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    };
    const sets = async (app: string): Promise<readonly appsv1.ReplicaSet[]> =>
      (await alice.list(appsv1.replicasets, { namespace, labelSelector: `app=${app}` })).items;

    beforeAll(async () => {
      alice = operator.as(ALICE);
      await createPolicy(operator.admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace] },
        resources: [
          { apiGroups: ['apps', 'batch'], resources: ['*'] },
          { apiGroups: [''], resources: ['*'], excluded: ['events'] },
        ],
      });
      await alice.create(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
        spec: {},
      });
      await deploy('web', REPLICAS);
    });
    afterEach(async () => {
      for (const reason of ['Drift', 'Frozen', 'Rejected', 'MayNotApprove'])
        expect(await count(reason), reason).toBe(0);
      // They are counted at all.
      expect(await count('Initializing')).toBeGreaterThan(0);
    });

    test('two rollouts of ten replicas at once: nothing is denied, and the operator writes none of their objects', async () => {
      await deploy('api', REPLICAS);
      const image = (name: string): Promise<unknown> =>
        alice.patch(
          appsv1.deployments,
          { namespace, name },
          {
            type: 'strategic',
            body: { spec: { template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } } },
          },
        );
      await Promise.all(['web', 'api'].map(image));
      for (const name of ['web', 'api']) {
        const old = async () => (await sets(name)).filter(({ status }) => (status?.replicas ?? 0) > 0).length;
        await expect.poll(old, POLL).toBe(1);
        await available(name, REPLICAS);
      }
      const live: readonly KubeObject[] = [
        ...(await alice.list(appsv1.deployments, { namespace })).items,
        ...(await sets('web')),
        ...(await sets('api')),
      ];
      // Only a write of another could be the reason of a conflict.
      const managers = live.flatMap(
        ({ metadata }) => metadata.managedFields?.map(({ manager }) => manager) ?? [],
      );
      expect(managers).not.toContain('drift');
      expect(live.every((one) => annotationsOf(one)[ANNOTATIONS.trace] !== undefined)).toBe(true);
    });

    test('DRF-37 a pod that somebody deletes comes back', async () => {
      const [pod] = await pods('web');
      await alice.delete(corev1.pods, { namespace, name: pod?.metadata.name ?? '' });
      await expect.poll(async () => (await pods('web')).length, POLL).toBe(REPLICAS);
      const names = (await pods('web')).map(({ metadata }) => metadata.name);
      expect(names).not.toContain(pod?.metadata.name);
      // The webhook has seen the new one: it was made for what alice wants.
      for (const { metadata } of await pods('web'))
        expect(hopsOf({ metadata } as KubeObject).at(-1)).toMatchObject({ kind: 'Pod', user: REPLICASETS });
      await available('web', REPLICAS);
    });

    test('a CronJob makes its Job, and that its pod', async () => {
      const name = 'tick';
      const template = { spec: { restartPolicy: 'Never', containers } } as const;
      await alice.create(batchv1.cronjobs, {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { namespace, name },
        // New Year is behind every run of this suite.
        spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: { template } } },
      });
      const patch = (body: object, options = {}): Promise<unknown> =>
        alice.patch(batchv1.cronjobs, { namespace, name }, { type: 'merge', body: body as never }, options);
      await patch({ status: { lastScheduleTime: '2020-06-01T00:00:00Z' } }, { subresource: 'status' });
      await patch({ spec: { suspend: false } });
      const jobs = async () => (await alice.list(batchv1.jobs, { namespace })).items;
      await expect.poll(async () => (await jobs()).length, POLL).toBe(1);
      const [job] = await jobs();
      const owned = async () =>
        (await alice.list(corev1.pods, { namespace })).items.filter(
          (pod) => controllerOf(pod)?.uid === job?.metadata.uid,
        ).length;
      await expect.poll(owned, POLL).toBe(1);
      await alice.delete(batchv1.cronjobs, { namespace, name }, { propagationPolicy: 'Foreground' });
      await expect.poll(async () => (await jobs()).length, POLL).toBe(0);
    });

    test('a node is drained', async () => {
      const [first] = await pods('web');
      const name = first?.spec.nodeName ?? '';
      const unschedulable = (value: boolean | null): Promise<unknown> =>
        alice.patch(corev1.nodes, { name }, { type: 'merge', body: { spec: { unschedulable: value } } });
      await unschedulable(true);
      const there = async () => (await pods('web')).filter(({ spec }) => spec.nodeName === name);
      expect(await there()).not.toEqual([]);
      for (const pod of await there()) {
        const metadata = { namespace, name: pod.metadata.name ?? '' };
        const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata };
        await alice.create<KubeObject>(corev1.pods, eviction, { subresource: 'eviction' });
      }
      await expect.poll(async () => (await there()).length, POLL).toBe(0);
      await available('web', REPLICAS);
      await unschedulable(null);
    });

    test.each(['Foreground', 'Background', 'Orphan'] as const)(
      'DRF-22 DRF-33 a deletion: %s',
      async (propagationPolicy) => {
        const name = propagationPolicy.toLowerCase();
        await deploy(name, 2);
        await alice.delete(appsv1.deployments, { namespace, name }, { propagationPolicy });
        await waitForObject(
          alice,
          appsv1.deployments,
          { namespace, name },
          (live) => live === undefined,
          PATIENCE,
        );
        if (propagationPolicy === 'Orphan') {
          const [set] = await sets(name);
          expect(set === undefined || controllerOf(set)).toBeUndefined();
          await alice.delete(appsv1.replicasets, { namespace, name: set?.metadata.name ?? '' });
        }
        await expect.poll(async () => (await sets(name)).length, POLL).toBe(0);
        await expect.poll(async () => (await pods(name)).length, POLL).toBe(0);
      },
    );

    test('the namespace, with all that is in it', async () => {
      await alice.delete(corev1.namespaces, { name: namespace });
      await waitForObject(
        alice,
        corev1.namespaces,
        { name: namespace },
        (live) => live === undefined,
        PATIENCE,
      );
    });
  });
}
