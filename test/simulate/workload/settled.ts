import type { Client } from '@kubewright/client';
import { appsv1, batchv1, corev1, type KubeObject, policyv1 } from '@kubewright/kube';
import { NAMESPACE } from './manifests.ts';

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

/** What the workloads of the namespace lack of what their specs ask for. */
export async function unsettled(client: Client): Promise<Lack> {
  const scope = { namespace: NAMESPACE };
  const deployments = (await client.list(appsv1.deployments, scope)).items;
  const statefulSets = (await client.list(appsv1.statefulsets, scope)).items;
  const daemonSets = (await client.list(appsv1.daemonsets, scope)).items;
  const replicaSets = (await client.list(appsv1.replicasets, scope)).items;
  const jobs = (await client.list(batchv1.jobs, scope)).items;
  const budgets = (await client.list(policyv1.poddisruptionbudgets, scope)).items;
  const pods = (await client.list(corev1.pods, scope)).items;
  const nodes = (await client.list(corev1.nodes)).items;
  const workloads: readonly KubeObject[] = [
    ...deployments,
    ...replicaSets,
    ...statefulSets,
    ...daemonSets,
    ...jobs,
  ];
  const owners = new Set(workloads.map(({ metadata }) => metadata.uid ?? ''));
  return [
    ...deployments.map(deploymentLacks),
    ...statefulSets.map(statefulSetLacks),
    ...daemonSets.map((set) => daemonSetLacks(set, nodes.length)),
    ...jobs.map(jobLacks),
    ...budgets.map(budgetLacks),
    ...[...replicaSets, ...pods].map((object) => lifeLacks(object, owners)),
  ].find((lack) => lack !== undefined);
}
