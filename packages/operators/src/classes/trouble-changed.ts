import type { corev1 } from '@kubewright/kube';
import type { Predicate } from '@kubewright/runtime';

type ContainerStatus = NonNullable<NonNullable<corev1.Pod['status']>['containerStatuses']>[number];

/** Why containers wait that start as usual. */
const STARTING: readonly string[] = ['ContainerCreating', 'PodInitializing'];

/**
 * Passes deletions, and changes of pods that have trouble, or had it before. How pods start and get ready says the workload that
 * has them, too: a class of many would be looked at several times for each.
 */
export const troubleChanged: Predicate<corev1.Pod> = (event) =>
  event.type === 'Delete' || hasTrouble(event.object) || (event.type === 'Update' && hasTrouble(event.old));

function hasTrouble({ metadata, status = {} }: corev1.Pod): boolean {
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = status;
  return (
    metadata?.deletionTimestamp !== undefined ||
    conditions.some((condition) => condition.type === 'PodScheduled' && condition.status === 'False') ||
    [...initContainerStatuses, ...containerStatuses].some((container) => isTroubled(container))
  );
}

/** Init containers end, and that is well. */
function isTroubled({ state, lastState, restartCount }: ContainerStatus): boolean {
  const { waiting, terminated = lastState?.terminated } = state ?? {};
  const isWaiting = waiting?.reason !== undefined && !STARTING.includes(waiting.reason);
  return isWaiting || restartCount > 0 || (terminated !== undefined && terminated.exitCode !== 0);
}
