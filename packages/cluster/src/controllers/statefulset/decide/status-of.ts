import { defined, type appsv1, type corev1, type Stored } from '@kubewright/kube';
import { isAvailable } from '../../workloads/pod-state.ts';
import { isCreated, isRunningAndReady } from './pod-phase.ts';
import { revisionOf } from './missing-pod.ts';

type Status = appsv1.StatefulSetStatus;

/** Names of the revisions that a set is at, and moves to. */
export type Revisions = { readonly current: string; readonly update: string; readonly collisions: number };

/** `status` of a set that has `pods`. `now` is in milliseconds. */
export function statusOf(
  set: Stored<appsv1.StatefulSet>,
  {
    pods,
    revisions,
    now,
  }: { readonly pods: readonly corev1.Pod[]; readonly revisions: Revisions; readonly now: number },
): Status {
  const { current, update, collisions } = revisions;
  const created = pods.filter(isCreated);
  const ready = created.filter(isRunningAndReady);
  const staying = created.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const at = (revision: string): number => staying.filter((pod) => revisionOf(pod) === revision).length;
  return {
    ...defined({ observedGeneration: set.metadata.generation }),
    replicas: created.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length,
    currentReplicas: at(current),
    updatedReplicas: at(update),
    currentRevision: current,
    updateRevision: update,
    collisionCount: collisions,
  };
}

/** When all pods are of the update and ready, the update is what the set is at. */
export function withUpdateCompleted(
  { spec }: Stored<appsv1.StatefulSet>,
  wanted: number,
  status: Status,
): Status {
  const counts = [status.updatedReplicas, status.readyReplicas, status.replicas];
  const rolling = spec.updateStrategy?.type === 'RollingUpdate';
  if (!rolling || counts.some((count) => count !== wanted)) return status;
  const { updatedReplicas: currentReplicas = 0, updateRevision: currentRevision = '' } = status;
  return { ...status, currentReplicas, currentRevision };
}
