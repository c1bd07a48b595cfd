import type { appsv1, Stored } from '@kubewright/kube';
import { isNamespaceTerminating, type PodControl } from '../workloads/pod-control.ts';
import { podFromTemplate } from '../workloads/pod-from-template.ts';
import { slowStart } from '../workloads/slow-start.ts';
import type { ReplicaSetAction } from './decide.ts';

/** Carries out the actions of a decision. Rejects with the first failure. */
export async function act(
  pods: PodControl,
  replicaSet: Stored<appsv1.ReplicaSet>,
  actions: readonly ReplicaSetAction[],
): Promise<void> {
  const deletions = actions.flatMap((action) => (action.type === 'delete' ? [action.pod] : []));
  const deleted = await Promise.allSettled(deletions.map((pod) => pods.remove(pod, replicaSet)));
  for (const result of deleted) if (result.status === 'rejected') throw result.reason;
  for (const action of actions) {
    if (action.type === 'create') await createPods(pods, replicaSet, action.count);
  }
}

async function createPods(
  pods: PodControl,
  replicaSet: Stored<appsv1.ReplicaSet>,
  count: number,
): Promise<void> {
  const { template } = replicaSet.spec;
  if (template === undefined) return;
  const pod = podFromTemplate(template, replicaSet);
  await slowStart(count, () =>
    pods.create(pod, replicaSet).catch((error: unknown) => {
      if (!isNamespaceTerminating(error)) throw error;
    }),
  );
}
