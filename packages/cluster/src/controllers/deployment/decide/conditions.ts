import { type appsv1, formatTime } from '@kubewright/kube';

export type Conditions = readonly appsv1.DeploymentCondition[];

type Told = Pick<appsv1.DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

export function conditionOf(conditions: Conditions, type: string): appsv1.DeploymentCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function withoutCondition(conditions: Conditions, type: string): Conditions {
  return conditions.filter((condition) => condition.type !== type);
}

/** With `told` last; unchanged if status and reason were told before. The transition is when the status changed. */
export function withCondition(conditions: Conditions, told: Told, now: number): Conditions {
  const before = conditionOf(conditions, told.type);
  if (before !== undefined && before.status === told.status && before.reason === told.reason)
    return conditions;
  return renewed(conditions, told, now);
}

/** As {@link withCondition}, but told anew even if it was told before: progress was made just now. */
export function renewed(conditions: Conditions, told: Told, now: number): Conditions {
  const before = conditionOf(conditions, told.type);
  const time = formatTime(new Date(now));
  const lastTransitionTime =
    before?.status === told.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : time;
  return [
    ...withoutCondition(conditions, told.type),
    {
      type: told.type,
      status: told.status,
      lastUpdateTime: time,
      lastTransitionTime,
      reason: told.reason ?? '',
      message: told.message ?? '',
    },
  ];
}
