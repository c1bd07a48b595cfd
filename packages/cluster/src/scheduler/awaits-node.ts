import type { corev1, Stored } from '@kubewright/kube';

/** Done: it holds nothing of its node any more. */
export function isOver({ status }: Stored<corev1.Pod>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Whether a pod is this scheduler's to assign, now or when its gates are open. */
export function awaitsNode(pod: Stored<corev1.Pod>, scheduler: string): boolean {
  const { schedulerName = 'default-scheduler', nodeName = '' } = pod.spec;
  return nodeName === '' && schedulerName === scheduler && !isOver(pod);
}

/** Neither gated nor on its way out. */
export function isReadyForNode({ metadata, spec }: Stored<corev1.Pod>): boolean {
  return metadata.deletionTimestamp === undefined && (spec.schedulingGates ?? []).length === 0;
}

export function priorityOf({ spec }: Stored<corev1.Pod>): number {
  return spec.priority ?? 0;
}
