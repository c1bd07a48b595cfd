import { randomUUID } from 'node:crypto';
import { ApiError, type Client, createClient } from '@kubewright/client';
import {
  appsv1,
  batchv1,
  corev1,
  type KubeObject,
  type Stored,
  ownerReferenceTo,
  policyv1,
  type Transport,
} from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';

const PATIENCE = { timeout: 20_000 };
const labels = { app: 'web' };
const containers = [{ name: 'a', image: 'a' }];

function budgets(transport: () => Transport): void {
  let client: Client;
  let namespace: string;
  beforeEach(async () => {
    client = createClient(transport());
    namespace = `budgets-${randomUUID().slice(0, 8)}`;
    const metadata = { name: namespace };
    await client.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
  });

  const budget = (spec: Partial<policyv1.PodDisruptionBudgetSpec>): Promise<unknown> =>
    client.create(policyv1.poddisruptionbudgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'budget', namespace },
      spec: { selector: { matchLabels: labels }, ...spec },
    });
  const key = (name: string) => ({ namespace, name });
  async function pod(name: string, owner?: Stored): Promise<void> {
    const ownerReferences = owner === undefined ? [] : [ownerReferenceTo(owner, { controller: true })];
    await client.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...key(name), labels, ownerReferences },
      spec: { containers, nodeName: 'nowhere' },
    });
  }
  const ready = (name: string): Promise<unknown> => {
    const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
    return client.patch(corev1.pods, key(name), { type: 'merge', body }, { subresource: 'status' });
  };
  const status = async (): Promise<unknown> => {
    const { status: is = {} } = await client.get(policyv1.poddisruptionbudgets, key('budget'));
    const { conditions = [], expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = is;
    const [state] = conditions;
    return [
      [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed],
      [state?.status, state?.reason, state?.message],
    ];
  };
  const says = (counts: readonly number[], ...condition: readonly string[]) =>
    expect.poll(status, PATIENCE).toEqual([counts, condition]);
  const events = async (): Promise<readonly string[]> => {
    const { items } = await client.list(corev1.events, { namespace });
    const about = items.filter(({ involvedObject }) => involvedObject.kind === 'PodDisruptionBudget');
    return [...new Set(about.map(({ type, reason, message }) => `${type} ${reason}: ${message}`))].sort();
  };
  async function deploy(replicas: number): Promise<readonly string[]> {
    await client.create(appsv1.deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: key('web'),
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    const names = async (): Promise<readonly string[]> =>
      (await client.list(corev1.pods, { namespace })).items.map(({ metadata }) => metadata.name);
    await expect.poll(names, PATIENCE).toHaveLength(replicas);
    return names();
  }

  test('a number of pods that must stay counts those that are there', async () => {
    await budget({ minAvailable: 1 });
    await says([0, 1, 0, 0], 'False', 'InsufficientPods', '');
    await expect.poll(events, PATIENCE).toContain('Normal NoPods: No matching pods found');
    for (const name of ['a', 'b']) await pod(name);
    await says([2, 1, 0, 0], 'False', 'InsufficientPods', '');
    for (const name of ['a', 'b']) await ready(name);
    await says([2, 1, 2, 1], 'True', 'SufficientPods', '');
    const { metadata, status: is } = await client.get(policyv1.poddisruptionbudgets, key('budget'));
    expect(is?.observedGeneration).toBe(metadata.generation);
  });

  test('shares and numbers of a Deployment count what it wants', async () => {
    const pods = await deploy(4);
    for (const name of pods) await ready(name);
    await budget({ maxUnavailable: '30%' });
    await says([4, 2, 4, 2], 'True', 'SufficientPods', '');
    const spec = (body: object) =>
      client.patch(policyv1.poddisruptionbudgets, key('budget'), {
        type: 'merge',
        body: { spec: { ...body } },
      });
    await spec({ maxUnavailable: 1 });
    await says([4, 3, 4, 1], 'True', 'SufficientPods', '');
    await spec({ maxUnavailable: null, minAvailable: '60%' });
    await says([4, 3, 4, 1], 'True', 'SufficientPods', '');
  });

  test('pods that nobody owns are told of, and do not count where shares do', async () => {
    await budget({ maxUnavailable: 1 });
    await pod('alone');
    await ready('alone');
    await says([0, 0, 1, 0], 'False', 'InsufficientPods', '');
    await expect
      .poll(events, PATIENCE)
      .toContain(
        'Warning UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
      );
  });

  test('where it cannot be told how many there should be, none may go', async () => {
    const job = await client.create(batchv1.jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: key('job'),
      spec: { template: { spec: { containers, restartPolicy: 'Never' } } },
    });
    await pod('worker', job);
    await ready('worker');
    await budget({ maxUnavailable: 1 });
    await says([0, 0, 0, 0], 'False', 'SyncFailed', 'jobs.batch does not implement the scale subresource');
    await expect
      .poll(events, PATIENCE)
      .toContain(
        'Warning CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: jobs.batch does not implement the scale subresource',
      );
  });

  test('evictions are let through one by one', async () => {
    const [first = '', second = '', ...others] = await deploy(3);
    for (const name of [first, second, ...others]) await ready(name);
    await budget({ minAvailable: 2 });
    await says([3, 2, 3, 1], 'True', 'SufficientPods', '');
    const evict = (name: string): Promise<unknown> =>
      client.create<KubeObject>(
        corev1.pods,
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: key(name) },
        { subresource: 'eviction' },
      );
    await evict(first);
    const refusal = await evict(second).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ code: 429 });
    // Its successor is not ready yet.
    await says([3, 2, 2, 0], 'False', 'InsufficientPods', '');
    // Until the controller has seen that the pod is gone.
    const disrupted = async (): Promise<unknown> =>
      (await client.get(policyv1.poddisruptionbudgets, key('budget'))).status?.disruptedPods;
    await expect.poll(disrupted, PATIENCE).toBeUndefined();
  });
}

describeClusters(
  'disruption budgets',
  ['disruption-controller', 'deployment-controller', 'replicaset-controller'],
  budgets,
);
