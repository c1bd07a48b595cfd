import assert from 'node:assert/strict';
import { batchv1, corev1, discoveryv1, autoscalingv2, appsv1, formatTime, policyv1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { vi } from 'vitest';
import { conditionsOf, countsOf, type Place, type Scenario } from './scenario.ts';

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const containers = [{ name: 'a', image: 'a' }];
const HOOK = ['/metadata/labels/hook', 'yes'] as const;

/** A Service with one pod that is ready, once the Service has been seen without any. */
async function serve(place: Place): Promise<void> {
  await place.create(corev1.nodes, 'node', { spec: {} });
  await place.create(corev1.services, 'web', { spec: { selector: labels, ports: [{ port: 80 }] } });
  await place.one(corev1.endpoints);
  await place.one(discoveryv1.endpointslices);
  const nodeName = `${place.namespace}-node`;
  await place.create(corev1.pods, 'web', { metadata: { labels }, spec: { containers, nodeName } });
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(new Date(0)) }];
  const status = { phase: 'Running', podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }], conditions };
  await place.patch(corev1.pods, 'web', { status }, 'status');
}

const inEndpoints = {
  account: 'endpoint-controller',
  play: serve,
  async see(place: Place) {
    const all = await place.list(corev1.endpoints);
    return all.map(({ metadata, subsets = [] }) => ({
      labels: { ...metadata.labels },
      ready: subsets.map(({ addresses = [], notReadyAddresses = [] }) => [
        addresses.length,
        notReadyAddresses.length,
      ]),
    }));
  },
};

const inSlices = {
  account: 'endpointslice-controller',
  play: serve,
  async see(place: Place) {
    const all = await place.list(discoveryv1.endpointslices);
    return all.map(({ metadata, endpoints }) => ({
      labels: { ...metadata.labels },
      ready: (endpoints ?? []).map(({ conditions }) => conditions?.ready ?? null),
    }));
  },
};

const inAccounts: Omit<Scenario, 'target'> = {
  account: 'service-account-controller',
  play: () => Promise.resolve(),
  async see(place) {
    const all = await place.list(corev1.serviceaccounts);
    return all.map(({ metadata }) => [metadata.name ?? '', { ...metadata.labels }]);
  },
};

const inRootCa: Omit<Scenario, 'target'> = {
  account: 'root-ca-cert-publisher',
  async play(place) {
    await place.one(corev1.configmaps);
    await place.patch(corev1.configmaps, 'kube-root-ca.crt', { data: { 'ca.crt': 'spoilt' } });
  },
  async see(place) {
    const all = await place.list(corev1.configmaps);
    return all.map(({ metadata, data = {} }) => [
      metadata.name ?? '',
      data['ca.crt']?.startsWith('spoilt') ? 'spoilt' : data['ca.crt'] === 'hook' ? 'hook' : 'right',
    ]);
  },
};

const inNamespace = {
  account: 'namespace-controller',
  async play(place: Place) {
    await place.create(corev1.configmaps, 'some');
    await place.client.delete(corev1.namespaces, { name: place.namespace });
  },
  async see(place: Place) {
    const { items } = await place.client.list(corev1.namespaces);
    const left = items.find(({ metadata }) => metadata.name === place.namespace);
    const maps = await place.list(corev1.configmaps);
    return [left?.status?.phase ?? 'gone', ...(left?.spec?.finalizers ?? []), maps.length];
  },
};

/**
 * Ends when the garbage collector knows each ConfigMap created before: it has then collected one whose owner never existed.
 * It orphans only the dependents it knows, and hears of Secrets and ConfigMaps in any order.
 */
async function collectorKnows({ client }: Place): Promise<void> {
  const absent = { apiVersion: 'v1', kind: 'Secret', name: 'absent', uid: 'absent' };
  const witness: corev1.ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', generateName: 'witness-', ownerReferences: [absent] },
  };
  const { metadata } = await client.create(corev1.configmaps, witness);
  await vi.waitFor(
    async () => {
      const { items } = await client.list(corev1.configmaps, { namespace: 'default' });
      assert(!items.some(({ metadata: { uid } }) => uid === metadata.uid), 'the witness is not collected');
    },
    { timeout: 90_000, interval: 50 },
  );
}

const inGarbage = {
  account: 'generic-garbage-collector',
  async play(place: Place) {
    const { metadata } = await place.create(corev1.secrets, 'owner');
    const reference = { apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: metadata.uid ?? '' };
    await place.create(corev1.configmaps, 'owned', { metadata: { ownerReferences: [reference] } });
    await collectorKnows(place);
    await place.client.delete(corev1.secrets, place.key(corev1.secrets, 'owner'), {
      propagationPolicy: 'Orphan',
    });
  },
  async see(place: Place) {
    const owners = await place.list(corev1.secrets);
    const owned = (await place.list(corev1.configmaps)).filter(({ metadata }) => metadata.name === 'owned');
    return {
      owners: owners.map(({ metadata }) => [...(metadata.finalizers ?? [])]),
      owned: owned.map(({ metadata }) => [(metadata.ownerReferences ?? []).length, { ...metadata.labels }]),
    };
  },
};

const inBudget = {
  account: 'disruption-controller',
  async play(place: Place) {
    await serve(place);
    await place.create(policyv1.poddisruptionbudgets, 'web', { spec: { selector, minAvailable: 1 } });
  },
  async see(place: Place) {
    const [budget] = await place.list(policyv1.poddisruptionbudgets);
    return { counts: countsOf(budget?.status), conditions: [...conditionsOf(budget?.status)] };
  },
};

const inQuota = {
  account: 'resourcequota-controller',
  async play(place: Place) {
    await serve(place);
    await place.create(corev1.resourcequotas, 'web', { spec: { hard: { pods: '5' } } });
  },
  async see(place: Place) {
    const [quota] = await place.list(corev1.resourcequotas);
    return { hard: { ...quota?.status?.hard }, used: { ...quota?.status?.used } };
  },
};

const inAutoscaler: Omit<Scenario, 'target'> = {
  account: 'horizontal-pod-autoscaler',
  async play(place) {
    const template = { metadata: { labels }, spec: { containers } };
    await place.create(appsv1.deployments, 'web', { spec: { replicas: 1, selector, template } });
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    await place.create(autoscalingv2.horizontalpodautoscalers, 'web', {
      spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 5 },
    });
  },
  async see(place) {
    const [deployment] = await place.list(appsv1.deployments);
    const [autoscaler] = await place.list(autoscalingv2.horizontalpodautoscalers);
    return [deployment?.spec.replicas ?? 0, autoscaler?.status?.desiredReplicas ?? 0];
  },
};

/**
 * There are no metrics, so kube-controller-manager writes `desiredReplicas` only in the look that scales. Where that one
 * write of the status fails, it stays 0 for ever, which says nothing of the scale.
 */
const inScale: Omit<Scenario, 'target'> = {
  ...inAutoscaler,
  async see(place) {
    const [deployment] = await place.list(appsv1.deployments);
    const [autoscaler] = await place.list(autoscalingv2.horizontalpodautoscalers);
    const replicas = deployment?.spec.replicas ?? 0;
    return [replicas, autoscaler?.status?.desiredReplicas || replicas];
  },
};

const inTaints = {
  account: 'node-controller',
  async play(place: Place) {
    const key = 'broken';
    await place.create(corev1.nodes, 'a', {
      spec: { taints: [{ key, effect: 'NoExecute' }], unschedulable: true },
    });
    const nodeName = `${place.namespace}-a`;
    await place.create(corev1.pods, 'driven', { spec: { containers, nodeName } });
  },
  async see(place: Place) {
    const { items } = await place.client.list(corev1.nodes);
    const node = items.find(({ metadata }) => metadata.name === `${place.namespace}-a`);
    const pods = await place.list(corev1.pods);
    return {
      taints: (node?.spec.taints ?? []).map(({ key }) => key).filter((key) => key.includes('unschedulable')),
      pods: pods.map(({ metadata, status }) => [
        metadata.deletionTimestamp === undefined ? 'stays' : 'leaves',
        (status?.conditions ?? []).filter(({ type }) => type === 'DisruptionTarget').length,
      ]),
    };
  },
};

const inFinishedJobs: Omit<Scenario, 'target'> = {
  account: 'ttl-after-finished-controller',
  async play(place) {
    const template = { spec: { containers, restartPolicy: 'Never' } };
    await place.create(batchv1.jobs, 'work', {
      spec: { completions: 0, ttlSecondsAfterFinished: 0, template },
    });
  },
  see: async (place) => (await place.list(batchv1.jobs)).length,
};

const inLostPods: Omit<Scenario, 'target'> = {
  account: 'pod-garbage-collector',
  isFence: true,
  async play(place) {
    const spec = { containers, nodeName: `${place.namespace}-gone` };
    await place.create(corev1.pods, 'lost', { spec });
    // It deals with all lost pods at once: with this one, whom nobody is hostile to, too.
    const key = { namespace: 'default', name: `${place.namespace.slice(0, -1)}witness` };
    const witness: corev1.Pod = { apiVersion: 'v1', kind: 'Pod', metadata: key, spec };
    await place.client.create(corev1.pods, witness);
    await waitForObject(place.client, corev1.pods, key, (live) => live === undefined, { timeoutMs: 120_000 });
  },
  async see(place) {
    const pods = await place.list(corev1.pods);
    return pods.map(({ metadata, status }) => [metadata.name ?? '', status?.phase ?? '']);
  },
};

const LATE = ['none', 'delayed', 'rejected'] as const;

/** What is no workload. */
export const OTHERS: readonly Scenario[] = [
  {
    ...inEndpoints,
    target: { resource: 'endpoints', strip: '/metadata/labels', change: HOOK },
  },
  {
    ...inSlices,
    target: {
      resource: 'endpointslices',
      strip: '/metadata/annotations',
      change: HOOK,
    },
  },
  { ...inAccounts, target: { resource: 'serviceaccounts', change: HOOK } },
  {
    ...inRootCa,
    target: { resource: 'configmaps', strip: '/metadata/annotations', change: ['/data/ca.crt', 'hook'] },
  },
  { ...inNamespace, target: { resource: 'namespaces/status', strip: '/status/conditions' } },
  { ...inNamespace, target: { resource: 'namespaces/finalize' } },
  { ...inNamespace, target: { resource: 'configmaps' }, only: LATE },
  {
    ...inGarbage,
    target: { resource: 'configmaps', change: HOOK },
    ours: { undone: { owners: [['orphan']], owned: [[1, {}]] } },
  },
  { ...inGarbage, target: { resource: 'secrets', change: HOOK } },
  {
    ...inBudget,
    target: {
      resource: 'poddisruptionbudgets/status',
      strip: '/status/conditions',
      change: ['/status/disruptionsAllowed', 1],
    },
  },
  {
    ...inQuota,
    target: { resource: 'resourcequotas/status', strip: '/status/used', change: ['/status/used/pods', '2'] },
  },
  // What does not take hold is written again with every look, for ever, by both.
  { ...inScale, target: { resource: 'deployments/scale' }, only: LATE },
  { ...inAutoscaler, target: { resource: 'horizontalpodautoscalers/status' }, only: LATE },
  // What is rejected is forgotten by kube-controller-manager until the node changes.
  { ...inTaints, target: { resource: 'nodes' }, only: ['none', 'delayed'] },
  {
    ...inTaints,
    target: {
      resource: 'pods/status',
      strip: '/status/conditions',
      change: ['/metadata/labels/hook', 'yes'],
    },
  },
  { ...inTaints, target: { resource: 'pods' }, only: LATE },
  // It looks every 20 seconds, and believes that a node is gone after 40.
  { ...inLostPods, target: { resource: 'pods/status' }, only: ['none', 'undone', 'delayed'] },
  { ...inFinishedJobs, target: { resource: 'jobs' }, only: LATE },
];
