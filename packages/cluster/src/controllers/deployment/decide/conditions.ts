import { type appsv1, formatTime } from '@kubewright/kube';

export type Conditions = readonly appsv1.DeploymentCondition[];

type NewCondition = Pick<appsv1.DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

export function conditionOf(conditions: Conditions, type: string): appsv1.DeploymentCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function withoutCondition(conditions: Conditions, type: string): Conditions {
  return conditions.filter((condition) => condition.type !== type);
}

/** With `condition` last; unchanged if its status and reason are. The transition is when the status changed. */
export function withCondition(conditions: Conditions, condition: NewCondition, now: number): Conditions {
  const before = conditionOf(conditions, condition.type);
  if (before !== undefined && before.status === condition.status && before.reason === condition.reason)
    return conditions;
  return renewed(conditions, condition, now);
}

/** As {@link withCondition}, but updated even if unchanged: progress was made just now. */
export function renewed(conditions: Conditions, condition: NewCondition, now: number): Conditions {
  const before = conditionOf(conditions, condition.type);
  const time = formatTime(new Date(now));
  const lastTransitionTime =
    before?.status === condition.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : time;
  return [
    ...withoutCondition(conditions, condition.type),
    {
      type: condition.type,
      status: condition.status,
      lastUpdateTime: time,
      lastTransitionTime,
      reason: condition.reason ?? '',
      message: condition.message ?? '',
    },
  ];
}
