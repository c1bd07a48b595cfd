import type { Client } from '@kubewright/client';
import { appsv1, corev1 } from '@kubewright/kube';
import type { ClaimAction } from '../workloads/claim.ts';
import { claimAll } from '../workloads/claim-object.ts';
import { isNamespaceTerminating, type PodControl } from '../workloads/pod-control.ts';
import { podFromTemplate } from '../workloads/pod-template.ts';
import { slowStart } from '../workloads/slow-start.ts';
import type { ReplicaSetAction } from './decide.ts';

type Tools = { readonly client: Client; readonly pods: PodControl };

/** Carries out the actions of a decision. Rejects with the first failure. */
export async function act(
  { client, pods }: Tools,
  replicaSet: appsv1.ReplicaSet,
  actions: readonly ReplicaSetAction[],
): Promise<void> {
  const claims = actions.filter((action): action is ClaimAction<corev1.Pod> => 'object' in action);
  await claimAll(client, corev1.pods, claims, { ref: appsv1.replicasets, object: replicaSet });
  const deletions = actions.flatMap((action) => (action.type === 'delete' ? [action.pod] : []));
  const deleted = await Promise.allSettled(deletions.map((pod) => pods.remove(pod, replicaSet)));
  for (const result of deleted) if (result.status === 'rejected') throw result.reason;
  for (const action of actions) {
    if (action.type === 'create') await createPods(pods, replicaSet, action.count);
  }
}

async function createPods(pods: PodControl, replicaSet: appsv1.ReplicaSet, count: number): Promise<void> {
  const { template } = replicaSet.spec;
  if (template === undefined) return;
  const pod = podFromTemplate(template, replicaSet);
  await slowStart(count, () =>
    pods.create(pod, replicaSet).catch((error: unknown) => {
      if (!isNamespaceTerminating(error)) throw error;
    }),
  );
}
