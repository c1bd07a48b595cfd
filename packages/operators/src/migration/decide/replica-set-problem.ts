import type { appsv1, Stored } from '@kubewright/kube';
import type { ObservedMigration } from './observed-migration.ts';

type Problem = readonly [reason: string, message: string];

/** Why a ReplicaSet would not keep the pod that takes over. */
export function replicaSetProblem({ replicaSet }: ObservedMigration): Problem | undefined {
  if (replicaSet === undefined || replicaSet.metadata.deletionTimestamp !== undefined)
    return ['ReplicaSetGone', 'the ReplicaSet is gone, or on its way out'];
  const { replicas = 1 } = replicaSet.spec;
  return replicas > 0
    ? undefined
    : ['ReplicaSetScaledDown', `ReplicaSet ${replicaSet.metadata.name} wants no pods any more`];
}

/** Of pods that are not ready a ReplicaSet deletes one first, instead of the source. */
export function unreadyReplicas({ replicaSet }: ObservedMigration): Problem | undefined {
  if (replicaSet === undefined) return undefined;
  const { metadata, spec, status = NO_STATUS } = replicaSet;
  const { replicas = 1 } = spec;
  const { readyReplicas = 0, replicas: made } = status;
  const isCurrent = isSeen(replicaSet) && readyReplicas === replicas && made === replicas;
  return !isCurrent
    ? ['RolloutInProgress', `ReplicaSet ${metadata.name} has ${readyReplicas} of ${replicas} pods ready`]
    : undefined;
}

const NO_STATUS: appsv1.ReplicaSetStatus = { replicas: 0 };

/** Its controller has seen its latest spec. */
function isSeen({ metadata, status }: Stored<appsv1.ReplicaSet>): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
