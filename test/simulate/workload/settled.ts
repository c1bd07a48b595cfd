import type { Client } from '@kubewright/client';
import { appsv1, autoscalingv2, batchv1, corev1, type KubeObject, policyv1 } from '@kubewright/kube';
import { LAST_MOMENT, NAMESPACE, QUEUE, replicasFor, SILENT_NODE } from './manifests.ts';

/** What is missing, in words. */
type Lack = string | undefined;

type Workload = {
  readonly metadata: KubeObject['metadata'];
  readonly status?: { readonly observedGeneration?: number } | undefined;
};

/** Each of these counts is to be as high as is wanted, of what was asked for last. */
function countsLack(
  { metadata, status }: Workload,
  wanted: number,
  counts: readonly (number | undefined)[],
): Lack {
  const isLatest = status?.observedGeneration === metadata.generation;
  if (isLatest && counts.every((count = 0) => count === wanted)) return undefined;
  return `${metadata.name}: ${counts.map((count = 0) => count).join('/')} of ${wanted}`;
}

function deploymentLacks(deployment: appsv1.Deployment): Lack {
  const { replicas, updatedReplicas, availableReplicas } = deployment.status ?? {};
  const counts = [replicas, updatedReplicas, availableReplicas];
  return countsLack(deployment, deployment.spec?.replicas ?? 1, counts);
}

function statefulSetLacks(set: appsv1.StatefulSet): Lack {
  const { status } = set;
  if (status?.currentRevision !== status?.updateRevision) return `${set.metadata.name}: an update`;
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
  return countsLack(set, set.spec?.replicas ?? 1, counts);
}

function daemonSetLacks(set: appsv1.DaemonSet, nodes: number): Lack {
  const { desiredNumberScheduled, updatedNumberScheduled, numberAvailable } = set.status ?? {};
  return countsLack(set, nodes, [desiredNumberScheduled, updatedNumberScheduled, numberAvailable]);
}

function budgetLacks(budget: policyv1.PodDisruptionBudget): Lack {
  const { expectedPods = 0, currentHealthy } = budget.status ?? {};
  return countsLack(budget, expectedPods, [currentHealthy]);
}

function jobLacks({ metadata, status }: batchv1.Job): Lack {
  const hasEnded = (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
  return hasEnded ? undefined : `the end of ${metadata.name}`;
}

function lifeLacks({ metadata }: KubeObject, owners: ReadonlySet<string>): Lack {
  const { name, deletionTimestamp, ownerReferences = [] } = metadata;
  const isOrphan = ownerReferences.some(({ uid }) => !owners.has(uid));
  return isOrphan || deletionTimestamp !== undefined ? `the end of ${name}` : undefined;
}

/** As many pods as the work needs, and it has seen so. */
function autoscalerLacks({ status }: autoscalingv2.HorizontalPodAutoscaler, wanted: number): Lack {
  const { desiredReplicas, currentReplicas } = status ?? {};
  if (desiredReplicas === wanted && currentReplicas === wanted) return undefined;
  return `an autoscaler: ${currentReplicas} of ${desiredReplicas} of ${wanted}`;
}

/** It has counted what is there, and no more. */
function quotaLacks(
  quota: corev1.ResourceQuota,
  pods: readonly corev1.Pod[],
  jobs: readonly batchv1.Job[],
): Lack {
  const going = pods.filter(({ status }) => !['Succeeded', 'Failed'].includes(status?.phase ?? ''));
  const there = { pods: `${going.length}`, 'count/jobs.batch': `${jobs.length}` };
  const used = quota.status?.used ?? {};
  const wrong = Object.entries(there).find(([name, count]) => used[name] !== count);
  return wrong && `${quota.metadata.name}: ${wrong[0]} ${used[wrong[0]]} of ${wrong[1]}`;
}

/** The Job of the last moment is over, and alone. */
function cronJobLacks({ metadata, spec, status }: batchv1.CronJob, jobs: readonly batchv1.Job[]): Lack {
  const { active = [], lastScheduleTime } = status ?? {};
  if (lastScheduleTime !== LAST_MOMENT || active.length > 0) return `the last Job of ${metadata.name}`;
  const owned = jobs.filter((one) => one.metadata.ownerReferences?.[0]?.uid === metadata.uid);
  return owned.length === spec.successfulJobsHistoryLimit ? undefined : `old Jobs of ${metadata.name} to go`;
}

type Work = Awaited<ReturnType<typeof readWork>>;

async function readWork(client: Client, labelSelector?: string) {
  const scope = { namespace: NAMESPACE, labelSelector };
  return {
    deployments: (await client.list(appsv1.deployments, scope)).items,
    statefulSets: (await client.list(appsv1.statefulsets, scope)).items,
    daemonSets: (await client.list(appsv1.daemonsets, scope)).items,
    replicaSets: (await client.list(appsv1.replicasets, scope)).items,
    jobs: (await client.list(batchv1.jobs, scope)).items,
    budgets: (await client.list(policyv1.poddisruptionbudgets, scope)).items,
    pods: (await client.list(corev1.pods, scope)).items,
    claims: (await client.list(corev1.persistentvolumeclaims, scope)).items,
    nodes: (await client.list(corev1.nodes)).items.filter(({ metadata }) => metadata.name !== SILENT_NODE),
  };
}

function workLacks(work: Work): Lack {
  const { deployments, replicaSets, statefulSets, daemonSets, jobs, pods } = work;
  const owners = [...deployments, ...replicaSets, ...statefulSets, ...daemonSets, ...jobs, ...pods];
  const uids = new Set(owners.map(({ metadata }) => metadata.uid));
  return [
    ...deployments.map(deploymentLacks),
    ...statefulSets.map(statefulSetLacks),
    ...daemonSets.map((set) => daemonSetLacks(set, work.nodes.length)),
    ...jobs.map(jobLacks),
    ...work.budgets.map(budgetLacks),
    ...[...replicaSets, ...pods, ...work.claims].map((object) => lifeLacks(object, uids)),
  ].find((lack) => lack !== undefined);
}

/**
 * What the workloads of the namespace lack of what their specs ask for.
 *
 * @param labelSelector those that count
 */
export async function unsettled(client: Client, labelSelector: string): Promise<Lack> {
  return workLacks(await readWork(client, labelSelector));
}

/**
 * What the workloads lack and, where they lack nothing, what comes with time: of autoscalers, quotas, CronJobs, Jobs
 * that go after their end, namespaces and volumes.
 */
export async function unfinished(client: Client): Promise<Lack> {
  const work = await readWork(client);
  return workLacks(work) ?? (await timeLacks(client, work));
}

async function timeLacks(client: Client, { jobs, pods }: Work): Promise<Lack> {
  const scope = { namespace: NAMESPACE };
  const cronJobs = (await client.list(batchv1.cronjobs, scope)).items;
  const autoscalers = (await client.list(autoscalingv2.horizontalpodautoscalers, scope)).items;
  const namespaces = (await client.list(corev1.namespaces)).items;
  const quotas = (await client.list(corev1.resourcequotas, scope)).items;
  const volumes = (await client.list(corev1.persistentvolumes)).items;
  const here = namespaces.find(({ metadata }) => metadata.name === NAMESPACE);
  const wanted = replicasFor(Number(here?.metadata.annotations?.[QUEUE]));
  return [
    ...autoscalers.map((one) => autoscalerLacks(one, wanted)),
    ...quotas.map((one) => quotaLacks(one, pods, jobs)),
    ...cronJobs.map((one) => cronJobLacks(one, jobs)),
    ...jobs.map(({ metadata, spec }) =>
      spec.ttlSecondsAfterFinished === undefined ? undefined : `that ${metadata.name} goes`,
    ),
    ...namespaces.map((one) => lifeLacks(one, new Set())),
    ...volumes.map(({ metadata, status }) =>
      status?.phase === 'Bound' ? undefined : `the end of ${metadata.name}`,
    ),
  ].find((lack) => lack !== undefined);
}
