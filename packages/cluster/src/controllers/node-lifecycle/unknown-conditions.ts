import { type corev1, formatTime, type Stored } from '@kubewright/kube';

type Condition = corev1.NodeCondition;

/** What a kubelet says of its node. `NetworkUnavailable` is said by others. */
const KUBELETS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

export function readyCondition(conditions: readonly Condition[] | undefined): Condition | undefined {
  return conditions?.find(({ type }) => type === 'Ready');
}

/**
 * The conditions of a node whose kubelet is silent: nothing of what it said is known any more. The very array it was
 * given if it says so already.
 */
export function unknownConditions(
  { status: { conditions = [] } = {}, metadata }: Stored<corev1.Node>,
  now: number,
): readonly Condition[] {
  if (readyCondition(conditions)?.status === 'Unknown') return conditions;
  const lastTransitionTime = formatTime(new Date(now));
  const known = conditions.map((condition) => {
    if (!KUBELETS.includes(condition.type) || condition.status === 'Unknown') return condition;
    const why = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
    return { ...condition, status: 'Unknown', ...why, lastTransitionTime };
  });
  const missing = KUBELETS.filter((type) => !conditions.some((one) => one.type === type)).map((type) => ({
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    ...(typeof metadata.creationTimestamp === 'string'
      ? { lastHeartbeatTime: metadata.creationTimestamp }
      : {}),
    lastTransitionTime,
  }));
  return [...known, ...missing];
}
