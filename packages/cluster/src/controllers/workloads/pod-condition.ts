import { type corev1, defined, formatTime, type JsonObject, type Stored } from '@kubewright/kube';

export type PodConditionUpdate = {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
};

/**
 * A condition of a pod as it is to be, for its status: the transition time moves with the status only. Undefined if
 * the pod says so already. `now` is in milliseconds.
 */
export function podCondition(
  pod: Stored<corev1.Pod>,
  update: PodConditionUpdate,
  now: number,
): JsonObject | undefined {
  const known = pod.status?.conditions?.find(({ type }) => type === update.type);
  const { generation } = pod.metadata;
  if (known !== undefined && says(known, update) && known.observedGeneration === generation) return undefined;
  const since = known?.status === update.status ? known.lastTransitionTime : undefined;
  return {
    ...update,
    lastTransitionTime: since ?? formatTime(new Date(now)),
    ...defined({ observedGeneration: generation }),
  };
}

function says(known: corev1.PodCondition, { status, reason, message }: PodConditionUpdate): boolean {
  return known.status === status && known.reason === reason && known.message === message;
}
